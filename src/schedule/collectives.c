/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/collectives.h"

const anypi_collective anypi_collectives[ANYP_COLLECTIVES] = {
#define ANYP_COLLECTIVE(NAME, Name, name, input, output, arguments, own)                           \
    [ANYP_##NAME] = { #name, "i" #name, ANYPI_##input, ANYPI_##output, ANYPI_TAKES_##arguments },
#include "schedule/collectives.def"
};
