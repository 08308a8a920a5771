/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/pmpi.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

anypi_pmpi anypi_mpi;

#ifdef OPEN_MPI
enum { OPEN = true };
#else
enum { OPEN = false };
#endif

/* ---- symbols ---- */

typedef struct search {
    const char *name;
    bool foreign;               /* only in a library of the other family */
    void *found;
} search;

/* Is the library that has the function an Open MPI? Only that family's handles are addresses of its
 * data. A program that is no shared object cannot be asked: then it is what it should be. */
static bool is_open(const void *function)
{
    Dl_info place;
    void *object = NULL;
    if (dladdr(function, &place))
        object = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!object)
        return OPEN;
    const bool found = dlsym(object, "ompi_mpi_comm_world") != NULL;
    dlclose(object);
    return found;
}

static int look_into(struct dl_phdr_info *object, size_t size, void *context)
{
    search *what = context;
    (void) size;
    if (!object->dlpi_name || !*object->dlpi_name)
        return 0;
    void *handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    what->found = dlsym(handle, what->name);
    dlclose(handle);            /* the object stays: somebody else has it open */
    if (what->found && what->foreign && is_open(what->found) == OPEN)
        what->found = NULL;
    return what->found != NULL;
}

void *anypi_symbol(const char *name)
{
    search what = { .name = name, .found = dlsym(RTLD_DEFAULT, name) };
    if (!what.found)
        dl_iterate_phdr(look_into, &what);
    return what.found;
}

/* ---- the table ---- */

/* Handles mean nothing to the other family's libraries, so it cannot go on. */
static void refuse(const char *what)
{
    fprintf(stderr, "anyp: this libanyp.so is for %s, but %s: take the one for the program's MPI, "
            "or leave it to: anyp run\n", OPEN ? "Open MPI" : "MPICH and its relatives", what);
    _exit(EXIT_FAILURE);
}

#ifdef OPEN_MPI
/* As soon as it is loaded: it needs Open MPI's library, which has come with it, and whose functions
 * may already stand in front of the program's. */
__attribute__((constructor)) static void look_around(void)
{
    search what = { .name = "PMPI_Init", .foreign = true };
    dl_iterate_phdr(look_into, &what);
    if (what.found)
        refuse("the program's MPI library is not");
}
#endif

static void find(void *place, const char *name, bool needed)
{
    void *const function = anypi_symbol(name);
    if (!function && needed) {
        char what[100];
        snprintf(what, sizeof what, "the program's MPI library has no %s", name);
        refuse(what);
    }
    *(void **) place = function;
}

static void load(void)
{
    void *const init = anypi_symbol("PMPI_Init");
    if (init && is_open(init) != OPEN)
        refuse("the program's MPI library is not");
#define ANYPI_PMPI(name) find(&anypi_mpi.name, "PMPI_" #name, true);
#define ANYPI_PMPI_OF_4(name) find(&anypi_mpi.name, "PMPI_" #name, false);
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_OF_4
}

void anypi_pmpi_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}
