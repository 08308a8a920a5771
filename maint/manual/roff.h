/* SPDX-License-Identifier: BSD-3-Clause
 *
 * roff.h - manual pages written to stdout with the macros of man(7), out of the texts that --help
 * shows: options in them get bold by themselves.
 */
#ifndef ANYPI_MANUAL_ROFF_H_INCLUDED
#define ANYPI_MANUAL_ROFF_H_INCLUDED

/* The head of a page: its name in lower case, section, and NAME's sentence. */
void roff_page(const char *name, int section, const char *sentence);

void roff_section(const char *title);
void roff_subsection(const char *title);

/* Paragraphs. Lines are filled, but a line that could have been longer ends its paragraph; lines
 * that begin with "- " are items of a list; an empty line ends a paragraph. */
void roff_text(const char *text);

/* Lines as they are, two blanks to the right. */
void roff_verbatim(const char *text);

/* A synopsis: words in lower case are literal, those in upper case are the user's to replace. */
void roff_synopsis(const char *text);

/* The term of a list, in bold, and what follows it in italics (NULL: nothing), with `between`
 * in between. Its explanation is the text that follows. */
void roff_term(const char *term, const char *between, const char *argument);

/* An option, as roff_term: "-l, --name ARGUMENT". A letter of 0 is none. */
void roff_option(char letter, const char *name, const char *between, const char *argument);

/* See also: "anyp(1), ..." */
void roff_see(const char *pages);

#endif
