/* SPDX-License-Identifier: BSD-3-Clause
 *
 * driver - the functions of accelerators' libraries that the plug-in calls (CUDA's; HIP's with
 * -DHIP), for memory that is declared to be a device's.
 */
#include <stddef.h>
#include <stdint.h>

void driver_owns(const void *begin, size_t size, int is_managed);
int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer);
int hipPointerGetAttribute(void *data, int attribute, void *pointer);

static uintptr_t first, end;
static int managed;

void driver_owns(const void *begin, size_t size, int is_managed)
{
    first = (uintptr_t) begin;
    end = first + size;
    managed = is_managed;
}

#ifdef HIP
/* 4: where the processor finds it */
int hipPointerGetAttribute(void *data, int attribute, void *pointer)
{
    *(void **) data = managed ? pointer : NULL;
    return attribute == 4 && (uintptr_t) pointer >= first && (uintptr_t) pointer < end ? 0 : 1;
}
#else
/* 2: the kind of memory, 1 the processor's, 2 the device's; 8: is it managed? */
int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer)
{
    if (pointer < first || pointer >= end)
        return 1;
    *(unsigned *) data = attribute == 2 ? 2 : (unsigned) managed;
    return attribute == 2 || attribute == 8 ? 0 : 1;
}
#endif
