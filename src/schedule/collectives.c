/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/collectives.h"

const anypi_collective anypi_collectives[ANYP_COLLECTIVES] = {
#define MOVES_REDUCTION false
#define MOVES_MOVEMENT true
#define MOVES_SIGNAL true
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    [ANYP_##NAME] = { #name, "i" #name, ANYPI_##input, ANYPI_##output, ANYPI_TAKES_##arguments,    \
                      MOVES_##kind, ANYP_##forward },
#include "schedule/collectives.def"
};
