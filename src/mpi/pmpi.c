/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/pmpi.h"

#include "schedule/memory.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

anypi_pmpi anypi_mpi;

/* What handles are: libraries of one family take those of another for something else. */
typedef enum family { OF_MPICH, OF_OPEN_MPI, OF_STANDARD } family;

#if defined(ANYPI_STANDARD_ABI)
static const family own_family = OF_STANDARD;
#elif defined(OPEN_MPI)
static const family own_family = OF_OPEN_MPI;
#else
static const family own_family = OF_MPICH;
#endif

/* ---- symbols ---- */

/* Names of loaded objects, one after the other. */
typedef struct objects {
    char *names;
    size_t length, room;
} objects;

/* The loader's locks are held here, so that nothing may be asked of the loader: only copied. */
static int add_object(struct dl_phdr_info *object, size_t size, void *context)
{
    objects *all = context;
    const size_t name_size = object->dlpi_name ? strlen(object->dlpi_name) + 1 : 0;
    (void) size;
    if (name_size <= 1)
        return 0;
    if (all->length + name_size > all->room) {
        const size_t room = 2 * (all->length + name_size);
        char *names = anypi_realloc(all->names, room);
        if (!names)
            return 1;
        all->names = names;
        all->room = room;
    }
    memcpy(all->names + all->length, object->dlpi_name, name_size);
    all->length += name_size;
    return 0;
}

/* An object that is loaded; NULL: none. To be given back by dlclose(), and stays: somebody else has
 * it open. */
static void *open_object(const char *name)
{
    /* UCX puts another dlopen into all objects, which looks through all of them each time, for what
     * has been loaded: nothing is here. */
    __typeof__(&dlopen) open;
    *(void **) &open = dlsym(RTLD_DEFAULT, "dlopen");
    return (open ? open : dlopen)(name, RTLD_LAZY | RTLD_NOLOAD);
}

/* The family of the library that has the function. That with the standard ABI is known by its name;
 * Open MPI's, whose data it may need, too, by that, since handles are its addresses. A program that
 * is no shared object cannot be asked: then it is what it should be. */
static family family_of(const void *function)
{
    static const char standard[] = "libmpi_abi";
    Dl_info place;
    void *const object = dladdr(function, &place) ? open_object(place.dli_fname) : NULL;
    if (!object)
        return own_family;
    const char *const slash = strrchr(place.dli_fname, '/');
    const bool open = dlsym(object, "ompi_mpi_comm_world") != NULL;
    dlclose(object);
    return !strncmp(slash ? slash + 1 : place.dli_fname, standard, sizeof standard - 1)
        ? OF_STANDARD : open ? OF_OPEN_MPI : OF_MPICH;
}

/* The first symbol of that name in all objects (if `foreign`: in an MPI library of another family);
 * NULL: none. */
static void *look_through(const char *name, bool foreign)
{
    objects all = { .names = NULL };
    void *found = NULL;
    dl_iterate_phdr(add_object, &all);
    for (size_t i = 0; i < all.length && !found; i += strlen(all.names + i) + 1) {
        void *const object = open_object(all.names + i);
        if (!object)
            continue;
        found = dlsym(object, name);
        dlclose(object);
        if (found && foreign && family_of(found) == own_family)
            found = NULL;
    }
    anypi_free(all.names);
    return found;
}

void *anypi_symbol(const char *name)
{
    void *const found = dlsym(RTLD_DEFAULT, name);
    return found ? found : look_through(name, false);
}

/* ---- the table ---- */

/* Handles mean nothing to other families' libraries, so it cannot go on. */
static void refuse(const char *what)
{
    static const char *const titles[] = {
        [OF_MPICH] = "MPICH and its relatives", [OF_OPEN_MPI] = "Open MPI",
        [OF_STANDARD] = "MPI libraries with the standard ABI (libmpi_abi)"
    };
    fprintf(stderr, "anyp: this libanyp.so is for %s, but %s: take the one for the program's MPI, "
            "or leave it to: anyp run\n", titles[own_family], what);
    _exit(EXIT_FAILURE);
}

#ifdef OPEN_MPI
/* As soon as it is loaded: it needs Open MPI's library, which has come with it, and whose functions
 * may already stand in front of the program's. */
__attribute__((constructor)) static void look_around(void)
{
    if (look_through("PMPI_Init", true))
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

#ifdef ANYPI_STANDARD_ABI
/* Libraries that are older than the standard have drafts of it, and so other constants. (That they
 * lack the function is found earlier.) */
static void check_version(void)
{
    int major = -1, minor = -1;
    anypi_mpi.Abi_get_version(&major, &minor);
    if (major != MPI_ABI_VERSION) {
        char what[96];
        snprintf(what, sizeof what, "version %d of it, and the program's MPI library has version %d",
                 MPI_ABI_VERSION, major);
        refuse(what);
    }
}
#endif

static void load(void)
{
    void *const init = anypi_symbol("PMPI_Init");
    if (init && family_of(init) != own_family)
        refuse("the program's MPI library is not");
#define ANYPI_PMPI(name) find(&anypi_mpi.name, "PMPI_" #name, true);
#define ANYPI_PMPI_OF_4(name) find(&anypi_mpi.name, "PMPI_" #name, false);
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_OF_4
#ifdef ANYPI_STANDARD_ABI
    check_version();
#endif
}

void anypi_pmpi_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}
