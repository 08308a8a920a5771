/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device.c - finds whether a buffer is in the memory of an accelerator. It asks the driver's
 * library, if the process has loaded one. Programs may load the library late. So until it is found,
 * the search is repeated whenever the process has loaded another object.
 */
#include "mpi/internal.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

/* The drivers' functions that return an attribute of a pointer. Their result is 0 if they know the
 * pointer. */
typedef int cuda_function(void *data, int attribute, unsigned long long pointer);
typedef int hip_function(void *data, int attribute, void *pointer);

enum {
    CUDA_MEMORY_TYPE = 2, CUDA_IS_MANAGED = 8, CUDA_DEVICE = 2,
    HIP_HOST_POINTER = 4
};

/* Several threads may search at the same time; they find the same library. */
static struct {
    atomic_ullong changes;      /* number of objects that the process had loaded at the last
                                 * search */
    cuda_function *_Atomic cuda;
    hip_function *_Atomic hip;
} driver;

static int count_changes(struct dl_phdr_info *object, size_t size, void *context)
{
    (void) size;
    *(unsigned long long *) context = object->dlpi_adds;
    return 1;
}

/* Returns a function of a driver, which stays loaded from now on; NULL: no driver is loaded. */
static void *find_and_keep(const char *name)
{
    Dl_info info;
    void *found = anypi_symbol(name), *object = NULL;
    if (found && dladdr(found, &info))
        object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return object ? dlsym(object, name) : NULL;
}

static void find_drivers(void)
{
    unsigned long long changes = 0;
    dl_iterate_phdr(count_changes, &changes);
    if (changes == driver.changes)
        return;
    if (!driver.cuda)
        driver.cuda = (cuda_function *) find_and_keep("cuPointerGetAttribute");
    if (!driver.hip)
        driver.hip = (hip_function *) find_and_keep("hipPointerGetAttribute");
    driver.changes = changes;
}

/* The processor can use managed memory, so this does not count as device memory. */
static bool is_cuda(const void *buffer)
{
    unsigned type = 0, managed = 0;
    const unsigned long long pointer = (uintptr_t) buffer;
    return driver.cuda(&type, CUDA_MEMORY_TYPE, pointer) == 0 && type == CUDA_DEVICE &&
        !(driver.cuda(&managed, CUDA_IS_MANAGED, pointer) == 0 && managed);
}

/* The numbers of HIP's kinds of memory differ between releases. But memory without a host address
 * is always device memory. */
static bool is_hip(const void *buffer)
{
    void *host = NULL;
    return driver.hip(&host, HIP_HOST_POINTER, (void *) buffer) == 0 && !host;
}

static bool ask(const void *buffer)
{
    return buffer && ((driver.cuda && is_cuda(buffer)) || (driver.hip && is_hip(buffer)));
}

unsigned anypi_device_buffers(const void *in, const void *out)
{
    find_drivers();
    return (ask(in) ? ANYPI_DEVICE_IN : 0) | (ask(out) ? ANYPI_DEVICE_OUT : 0);
}
