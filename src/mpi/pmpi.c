/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/pmpi.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

anypi_pmpi anypi_mpi;

/* ---- symbols ---- */

typedef struct search {
    const char *name;
    void *found;
} search;

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

static void find(void *place, const char *name, bool needed)
{
    void *const function = anypi_symbol(name);
    if (!function && needed) {
        fprintf(stderr, "anyp: the MPI library of this program has no %s: libanyp.so is for "
                "another one (see: anyp run --help)\n", name);
        abort();
    }
    *(void **) place = function;
}

static void load(void)
{
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
