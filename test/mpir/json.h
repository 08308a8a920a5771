/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json.h - MPICH has json-c's headers in a separate folder; here the system's are used.
 */
#include <json-c/json.h>
