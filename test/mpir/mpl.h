/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpl.h - in place of MPICH's portability layer, see mpiimpl.h.
 */
#ifndef STUB_MPL_H_INCLUDED
#define STUB_MPL_H_INCLUDED

#include <stddef.h>

typedef enum { MPL_MEM_COLL } MPL_memory_class;
void *MPL_realloc(void *pointer, size_t size, MPL_memory_class class);
void MPL_free(void *pointer);

void MPL_sched_yield(void);

typedef struct MPL_initlock_t { void *owner; } MPL_initlock_t;
#define MPL_INITLOCK_INITIALIZER { NULL }
void MPL_initlock_lock(MPL_initlock_t *lock);
void MPL_initlock_unlock(MPL_initlock_t *lock);

typedef struct MPL_atomic_int_t { int value; } MPL_atomic_int_t;
#define MPL_ATOMIC_INT_T_INITIALIZER(value) { value }
int MPL_atomic_acquire_load_int(const MPL_atomic_int_t *number);
void MPL_atomic_release_store_int(MPL_atomic_int_t *number, int value);
int MPL_atomic_fetch_add_int(MPL_atomic_int_t *number, int value);

#endif
