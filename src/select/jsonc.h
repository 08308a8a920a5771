/* SPDX-License-Identifier: BSD-3-Clause
 *
 * jsonc.h - json-c, wherever it is: MPICH carries a copy of its own (0.13.99), the system has one
 * elsewhere. Use only what 0.13 has.
 */
#ifndef ANYPI_JSONC_H_INCLUDED
#define ANYPI_JSONC_H_INCLUDED

#ifdef ANYP_IN_MPICH
#include <json.h>
#else
#include <json-c/json.h>
#endif

#endif
