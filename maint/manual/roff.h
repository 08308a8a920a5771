/* SPDX-License-Identifier: BSD-3-Clause
 *
 * roff.h - manual pages written to stdout with the macros of man(7).
 */
#ifndef ANYPI_MANUAL_ROFF_H_INCLUDED
#define ANYPI_MANUAL_ROFF_H_INCLUDED

#include <stddef.h>

/* The head of a page: its name in lower case, section, and summary. */
void roff_page(const char *name, int section, const char *summary);

void roff_section(const char *title);
void roff_subsection(const char *title);

/* A part of a line that is filled. `literal`, [name](link), options and variables are bold; the
 * text of a span ends on its line. */
void roff_line(const char *text, size_t length);

/* The paragraphs of --help. Lines are filled, but a line that is shorter than necessary ends its
 * paragraph; lines that begin with "- " are items of a list; an empty line ends a paragraph. */
void roff_text(const char *text);

/* Verbatim lines, indented: each by roff_verbatim_line, between begin and end. */
void roff_verbatim_begin(void);
void roff_verbatim_line(const char *text, size_t length);
void roff_verbatim_end(void);

/* The examples of --help: verbatim lines without the two leading blanks. */
void roff_examples(const char *text);

/* A synopsis: words in lower case are literal, those in upper case are replaced by the user. */
void roff_synopsis(const char *text);

/* The term of a list, in bold, and what follows it in italics (NULL: nothing), with `between`
 * in between. Its explanation is the text that follows. */
void roff_term(const char *term, const char *between, const char *argument);

/* An option, as roff_term: "-l, --name ARGUMENT". A letter of 0 is none. */
void roff_option(char letter, const char *name, const char *between, const char *argument);

#endif
