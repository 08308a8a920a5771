/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - anyp-tune(1).
 */
#include "pages.h"
#include "roff.h"

#include "options.h"

#include <stdio.h>

void page_tune(void)
{
    roff_page("anyp-tune", 1, "measure MPI reductions and write a decision file");
    roff_section("SYNOPSIS");
    roff_synopsis(anypi_usage_synopsis);
    roff_section("DESCRIPTION");
    roff_text(anypi_usage_description);
    puts(".PP");
    roff_text(anypi_usage_notes);
    roff_section("OPTIONS");
    for (const anypi_option_row *row = anypi_option_rows; row->name; row++) {
        roff_option(0, row->name, " ", row->argument);
        roff_text(row->sentence);
    }
    roff_section("EXIT STATUS");
    roff_text(anypi_usage_statuses);
    roff_see("anyp(1), libanyp(7)");
}
