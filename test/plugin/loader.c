/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loader FILE - a thread loads and unloads a library all the time, while the other calls MPI: the
 * plug-in, which examines the loaded objects, must not deadlock with the loader.
 */
#include "calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { CALLS = 300 };

static int done;

static void *load_often(void *file)
{
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        void *handle = dlopen(file, RTLD_NOW);
        if (handle)
            dlclose(handle);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided, rank, wrong = argc < 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wrong = wrong || pthread_create(&thread, NULL, load_often, argv[1]);
    for (int i = 0; i < CALLS && !wrong; i++)
        wrong = call_all(MPI_COMM_WORLD, 10);
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    if (argc > 1)
        pthread_join(thread, NULL);
    if (wrong || rank == 0)
        printf("loader: %s, %s ran\n", wrong ? "wrong" : "right", what_ran(ANYP_ALLREDUCE));
    MPI_Finalize();
    return wrong;
}
