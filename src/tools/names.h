/* SPDX-License-Identifier: BSD-3-Clause
 *
 * names.h - what was meant by a mistyped name.
 */
#ifndef ANYPI_TOOL_NAMES_H_INCLUDED
#define ANYPI_TOOL_NAMES_H_INCLUDED

/* The name nearest to `word` of names[0 .. count-1], or NULL if none is near: one that begins so,
 * or has at most a third of the word's letters (or one) inserted, deleted, replaced or swapped with
 * their neighbour. */
const char *anypi_tool_nearest(const char *word, const char *const *names, int count);

#endif
