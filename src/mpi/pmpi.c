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
int anypi_reasons = 1;

/* Families of MPI libraries. Libraries of one family have the same handles. */
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
    size_t length;
    int room;
} objects;

/* Adds an object to the list. The loader's locks are held here, so this must not call the
 * loader. */
static int add_object(struct dl_phdr_info *object, size_t size, void *context)
{
    objects *all = context;
    const size_t name_size = object->dlpi_name ? strlen(object->dlpi_name) + 1 : 0;
    (void) size;
    if (name_size <= 1)
        return 0;
    char *names = anypi_reserve(all->names, &all->room, (int64_t) (all->length + name_size), 1);
    if (!names)
        return 1;
    all->names = names;
    memcpy(all->names + all->length, object->dlpi_name, name_size);
    all->length += name_size;
    return 0;
}

/* Returns a handle of a loaded object, for dlclose(), or NULL if it is not loaded. */
static void *open_object(const char *name)
{
    /* UCX replaces dlopen in all objects, and its version searches all of them for newly loaded
     * ones; this is slow and not needed here */
    __typeof__(&dlopen) open;
    *(void **) &open = dlsym(RTLD_DEFAULT, "dlopen");
    return (open ? open : dlopen)(name, RTLD_LAZY | RTLD_NOLOAD);
}

/* Returns the family of the library that defines the function. A library with the standard ABI is
 * recognized by its name. It may load Open MPI's library, which is recognized by the data that its
 * handles point to. In a static program the family is assumed to be right. */
static family family_of(const void *function)
{
    static const char standard[] = "libmpi_abi";
    Dl_info info;
    void *const object = dladdr(function, &info) ? open_object(info.dli_fname) : NULL;
    if (!object)
        return own_family;
    const char *const slash = strrchr(info.dli_fname, '/');
    const bool open = dlsym(object, "ompi_mpi_comm_world") != NULL;
    dlclose(object);
    return !strncmp(slash ? slash + 1 : info.dli_fname, standard, sizeof standard - 1)
        ? OF_STANDARD : open ? OF_OPEN_MPI : OF_MPICH;
}

/* Returns the first symbol of that name in all objects (if `foreign`: in an MPI library of another
 * family), or NULL. */
static void *search_objects(const char *name, bool foreign)
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
    return found ? found : search_objects(name, false);
}

/* ---- the table ---- */

/* Ends the program, because handles have other values in other families. */
static void refuse(const char *what)
{
    static const char *const titles[] = {
        [OF_MPICH] = "MPICH and its relatives", [OF_OPEN_MPI] = "Open MPI",
        [OF_STANDARD] = "MPI libraries with the standard ABI (libmpi_abi)"
    };
    fprintf(stderr, "anyp: this plug-in is for %s, but %s; preload that of the program's MPI "
            "library, or use anyp run, which finds it\n", titles[own_family], what);
    _exit(EXIT_FAILURE);
}

#ifdef OPEN_MPI
/* Checks the program's MPI library when the plug-in is loaded. The plug-in also loads Open MPI's
 * library, whose functions may then replace those of the program's library. */
__attribute__((constructor)) static void check_other_libraries(void)
{
    if (search_objects("PMPI_Init", true))
        refuse("the program's MPI library is not");
}
#endif

static void find(void *target, const char *name, bool needed)
{
    void *const function = anypi_symbol(name);
    if (!function && needed) {
        char what[100];
        snprintf(what, sizeof what, "the program's MPI library has no %s", name);
        refuse(what);
    }
    *(void **) target = function;
}

#ifdef ANYPI_STANDARD_ABI
/* Ends the program if the library is older than the standard ABI: such libraries have drafts of it,
 * with other constants. (If the function is missing, load() has ended the program.) */
static void check_version(void)
{
    int major = -1, minor = -1;
    anypi_mpi.Abi_get_version(&major, &minor);
    if (major != MPI_ABI_VERSION) {
        char what[96];
        snprintf(what, sizeof what, "version %d of it, and the program's MPI library has version "
                 "%d", MPI_ABI_VERSION, major);
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
#define ANYPI_PMPI_IF_THERE(name) find(&anypi_mpi.name, "PMPI_" #name, false);
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_IF_THERE
#ifdef ANYPI_STANDARD_ABI
    check_version();
#endif
    anypi_reason_add(-1);
}

void anypi_pmpi_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}
