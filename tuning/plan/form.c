/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/form.h"

#include "select/vocabulary.h"

static bool nonblocking;

void anypi_form_set(bool is)
{
    nonblocking = is;
}

bool anypi_form_nonblocking(void)
{
    return nonblocking;
}

const char *anypi_form_name(anyp_collective collective)
{
    return nonblocking ? anypi_nonblocking_name(collective) : anyp_collective_name(collective);
}

const char *anypi_form_prefix(void)
{
    return nonblocking ? "tsp_anyp_" : "anyp_";
}
