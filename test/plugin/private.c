/* SPDX-License-Identifier: BSD-3-Clause
 *
 * private LIBRARY - a program without MPI that loads a module with MPI, whose symbols only the
 * module sees, as in Python. With -DMODULE this is the module.
 */
#ifdef MODULE
#include "calls.h"

#include <stdio.h>

int module_main(void);

int module_main(void)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int error = call_all(MPI_COMM_WORLD, 33);
    if (error || rank == 0)
        printf("private: %s, %s ran\n", error ? "wrong" : "right", what_ran(ANYP_ALLREDUCE));
    MPI_Finalize();
    return error != 0;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*module_main)(void);
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!module) {
        fprintf(stderr, "private: %s\n", argc > 1 ? dlerror() : "no library given");
        return 2;
    }
    *(void **) &module_main = dlsym(module, "module_main");
    return module_main();
}
#endif
