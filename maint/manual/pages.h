/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pages.h - the manual pages; each function writes its own to stdout. What --help says, and what
 * algorithms.def and variables.def say, comes from there; only what is said nowhere else is here.
 */
#ifndef ANYPI_MANUAL_PAGES_H_INCLUDED
#define ANYPI_MANUAL_PAGES_H_INCLUDED

void page_anyp(void);
void page_libanyp(void);
void page_tune(void);

#endif
