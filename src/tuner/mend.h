/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mend.h - takes the rules out of a decision file that a validation found to be slower than the
 * library.
 */
#ifndef ANYPI_MEND_H_INCLUDED
#define ANYPI_MEND_H_INCLUDED

#include "tuner/validation.h"

/* Takes out the rules of points that are slower or bad; and if `strict` of those that are not
 * certainly faster. A rule stays for the nearest sizes, and numbers of processes, for which it was
 * measured and was good, and beyond them; but no part of a rule with a wrong result. Returns the
 * number of points that lost theirs. */
int anypi_mend(const anypi_validation *validation, bool strict, anypi_decision *decision);

/* The decision as a file: the comments at the head of the file that it was, `comment`, and the
 * rules. To be freed with free(); NULL: no memory. */
char *anypi_mend_text(const anypi_decision *decision, const char *before, const char *comment);

#endif
