/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.h - MPICH has json-c's headers in a folder of its own; here the system's are taken.
 */
#include <json-c/json.h>
