/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hold.h - lets reductions of a program read received data where the sender has them, instead of a
 * copy. For a transport that can do this (execute.h); a message that it cannot hold is received as
 * usual.
 */
#ifndef ANYPI_HOLD_H_INCLUDED
#define ANYPI_HOLD_H_INCLUDED

#include "execute/program.h"

/* Changes a program. A receive becomes a HOLD if exactly one reduction uses its data: as the left
 * operand, and nothing else reads them; or as the right operand, which the result replaces. The
 * reduction becomes a REDUCE_LEFT or REDUCE_RIGHT. The wait for such receives becomes a
 * WAIT_RECEIVED, and a WAIT for all follows before the sent data change or a request is used again:
 * until then a peer that holds them need not be waited for. Elements must have no gaps. `overlaid`:
 * IN and OUT may be the same memory. ANYP_ERR_MEMORY: the program is as before. */
anyp_status anypi_program_let_hold(anypi_program *program, bool overlaid);

#endif
