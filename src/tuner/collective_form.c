/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/collective_form.h"

#include "schedule/collectives.h"
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
    const anypi_collective *its = &anypi_collectives[collective];
    return nonblocking ? its->nonblocking : its->name;
}

const char *anypi_form_prefix(void)
{
    return nonblocking ? "tsp_anyp_" : "anyp_";
}
