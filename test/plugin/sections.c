/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sections - the functions that mpi_f08 of Open MPI 6 calls for gather, scatter, alltoall, gatherv,
 * scatterv and alltoallv, with sections of arrays: the plug-in has them over any Open MPI. A buffer
 * of one block may have gaps; one with all blocks may not have them at the root, and is not looked
 * at elsewhere.
 */
#include <ISO_Fortran_binding.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 5, MOST = 8 };

typedef CFI_CDESC_T(1) section;
typedef void rooted(void *, int *, MPI_Fint *, void *, int *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                    MPI_Fint *);
typedef void gather_counts(void *, int *, MPI_Fint *, void *, int *, int *, MPI_Fint *, MPI_Fint *,
                           MPI_Fint *, MPI_Fint *);
typedef void scatter_counts(void *, int *, int *, MPI_Fint *, void *, int *, MPI_Fint *, MPI_Fint *,
                            MPI_Fint *, MPI_Fint *);
typedef void pair_counts(void *, int *, int *, MPI_Fint *, void *, int *, int *, MPI_Fint *,
                         MPI_Fint *, MPI_Fint *);
typedef void rootless(void *, int *, MPI_Fint *, void *, int *, MPI_Fint *, MPI_Fint *, MPI_Fint *);

static int wrong, rank, p;
static int in[2 * COUNT * MOST], out[2 * COUNT * MOST];

/* Every step-th of the array's elements. */
static section section_of(int *array, int count, int step)
{
    return (section) {
        .base_addr = array, .elem_len = sizeof *array, .version = CFI_VERSION, .rank = 1,
        .attribute = CFI_attribute_other, .type = CFI_type_int,
        .dim = { { 0, count, step * (CFI_index_t) sizeof *array } },
    };
}

static void check(const char *what, int good)
{
    if (!good)
        printf("sections: rank %d: wrong: %s\n", rank, what);
    wrong += !good;
}

/* Element i of block b, of those that process r has. */
static int value(int r, int b, int i)
{
    return 1000 * r + 100 * b + i;
}

static void *symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    check(name, !!found);
    return found;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Fint type = MPI_Type_c2f(MPI_INT), comm = MPI_Comm_c2f(MPI_COMM_WORLD), error = -1;
    int count = COUNT, root = p - 1;
    rooted *gather, *scatter;
    rootless *alltoall;
    gather_counts *gatherv;
    scatter_counts *scatterv;
    pair_counts *alltoallv;
    int counts[MOST], displs[MOST];
    *(void **) &gather = symbol("ompi_gather_wrapper_f08");
    *(void **) &scatter = symbol("ompi_scatter_wrapper_f08");
    *(void **) &alltoall = symbol("ompi_alltoall_wrapper_f08");
    *(void **) &gatherv = symbol("ompi_gatherv_wrapper_f08");
    *(void **) &scatterv = symbol("ompi_scatterv_wrapper_f08");
    *(void **) &alltoallv = symbol("ompi_alltoallv_wrapper_f08");
    for (int i = 0; i < p; i++) {
        counts[i] = COUNT;
        displs[i] = COUNT * i;
    }
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const int is_root = rank == root;

    section one = section_of(in, COUNT, 2), all = section_of(out, COUNT * p, is_root ? 1 : 2);
    for (int i = 0; i < 2 * COUNT; i++)
        in[i] = value(rank, 0, i / 2) * (i % 2 ? -1 : 1);
    int good;
    for (int with_counts = 0; with_counts < 2; with_counts++) {
        memset(out, 0, sizeof out);
        if (with_counts)
            gatherv(&one, &count, &type, &all, counts, displs, &type, &root, &comm, &error);
        else
            gather(&one, &count, &type, &all, &count, &type, &root, &comm, &error);
        good = !error;
        for (int i = 0; i < COUNT * p; i++)
            good = good && out[i] == (is_root ? value(i / COUNT, 0, i % COUNT) : 0);
        check(with_counts ? "gatherv" : "gather", good);
    }

    for (int i = 0; i < COUNT * p; i++)
        in[i] = value(rank, i / COUNT, i % COUNT);
    one = section_of(out, COUNT, 2);
    all = section_of(in, COUNT * p, is_root ? 1 : 2);
    for (int with_counts = 0; with_counts < 2; with_counts++) {
        memset(out, 0, sizeof out);
        if (with_counts)
            scatterv(&all, counts, displs, &type, &one, &count, &type, &root, &comm, &error);
        else
            scatter(&all, &count, &type, &one, &count, &type, &root, &comm, &error);
        good = !error;
        for (int i = 0; i < 2 * COUNT; i++)
            good = good && out[i] == (i % 2 ? 0 : value(root, rank, i / 2));
        check(with_counts ? "scatterv" : "scatter", good);
    }

    one = section_of(in, COUNT * p, 1);
    all = section_of(out, COUNT * p, 1);
    for (int with_counts = 0; with_counts < 2; with_counts++) {
        memset(out, 0, sizeof out);
        if (with_counts)
            alltoallv(&one, counts, displs, &type, &all, counts, displs, &type, &comm, &error);
        else
            alltoall(&one, &count, &type, &all, &count, &type, &comm, &error);
        good = !error;
        for (int i = 0; i < COUNT * p; i++)
            good = good && out[i] == value(i / COUNT, rank, i % COUNT);
        check(with_counts ? "alltoallv" : "alltoall", good);
    }

    all = section_of(out, COUNT * p, 2);    /* refused on all ranks, or at the only one */
    comm = MPI_Comm_c2f(MPI_COMM_SELF);
    root = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    gather(&one, &count, &type, &all, &count, &type, &root, &comm, &error);
    check("gather to gaps", error != MPI_SUCCESS);
    scatter(&all, &count, &type, &one, &count, &type, &root, &comm, &error);
    check("scatter of gaps", error != MPI_SUCCESS);
    alltoall(&one, &count, &type, &all, &count, &type, &comm, &error);
    check("alltoall to gaps", error != MPI_SUCCESS);
    alltoallv(&all, counts, displs, &type, &one, counts, displs, &type, &comm, &error);
    check("alltoallv of gaps", error != MPI_SUCCESS);
    MPI_Finalize();
    if (wrong || rank == 0)
        printf("sections: %s\n", wrong ? "wrong" : "right");
    return wrong != 0;
}
