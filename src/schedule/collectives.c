/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/collectives.h"

const anypi_collective anypi_collectives[ANYP_COLLECTIVES] = {
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    [ANYP_##NAME] = { #name, "i" #name, ANYPI_##input, ANYPI_##output, ANYPI_TAKES_##arguments,    \
                      false, ANYP_##NAME },
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    [ANYP_##NAME] = { #name, "i" #name, ANYPI_##input, ANYPI_##output, ANYPI_TAKES_##arguments,    \
                      true, ANYP_##forward },
#include "schedule/collectives.def"
};
