/* SPDX-License-Identifier: BSD-3-Clause
 *
 * settle.h - settles the parameters of a call that are "auto": to the values for which an
 * algorithm's closed form has the shortest time, by the constants of the machine (network.h).
 *
 * The choice depends only on values that are the same on all ranks: collective, p, vector,
 * operator, nodes and constants. It does not depend on rank, root or place. Calls whose counts
 * round to the same three binary digits (a quarter of an octave) share it. An algorithm names the
 * values that are worth a try, if it can all those with different schedules; a few dozen closed
 * forms are evaluated.
 */
#ifndef ANYPI_SETTLE_H_INCLUDED
#define ANYPI_SETTLE_H_INCLUDED

#include "anyp.h"

/* Is the value "auto"? */
bool anypi_is_automatic(const anyp_parameter *parameter, int value);
/* Is one of the values "auto"? */
bool anypi_any_automatic(const anyp_algorithm *algorithm, const int *parameters);

/* Writes the names of the parameters that are "auto" in asked[] into text, separated by commas.
 * Parameters of nodes are included only if the settled values, parameters[], use nodes. Returns
 * text. */
char *anypi_automatic_text(const anyp_algorithm *algorithm, const int *parameters,
                           const int *asked, char *text, size_t size);

/* ---- a call that is settled once ---- */

/* A call for an algorithm, with all that follows from the two. Code that checks a call, computes
 * its cost and writes its schedule hands this from step to step. */
typedef struct anypi_settled_call {
    const anyp_algorithm *algorithm;
    anyp_call call;             /* of a call with local sizes, that of its route (route.h) */
    anyp_call forward;          /* the call whose schedules the algorithm writes (backwards.h) */
    int parameters[ANYP_MAX_PARAMETERS];        /* none is "auto" */
} anypi_settled_call;

/* Returns the call with parameters that are settled already; NULL: they are set later. */
anypi_settled_call anypi_settled_call_of(const anyp_algorithm *algorithm, const anyp_call *call,
                                         const int *parameters);

/* Sets one->parameters[] to asked[], with numbers in place of "auto". If no tried value serves the
 * call, anypi_refusal() says why not (generate.h). */
void anypi_settle_call(anypi_settled_call *one, const int *asked);

/* As above, under a model instead of the constants of the machine. Returns the time, INFINITY if no
 * value serves the call. */
double anypi_settle_call_by(anypi_settled_call *one, const anyp_model *model, const int *asked);

/* ---- the same from the beginning ---- */

/* As the two above. `settled` may be `parameters`. */
void anypi_settle(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                  int *settled);
double anypi_settle_by(const anyp_algorithm *algorithm, const anyp_call *call,
                       const anyp_model *model, const int *parameters, int *settled);

/* Return the closed form, and the number of blocks, of a call whose parameters may be "auto". */
anyp_cost anypi_cost_of(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters);
int anypi_blocks_of(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters);

/* Returns the expected time in a model, which may have nodes whose ranks share network cards.
 * Unlike the closed form it is no upper bound, but it is better to compare settings. Nothing is
 * "auto". */
double anypi_form_time(const anyp_algorithm *algorithm, const anyp_call *call,
                       const int *parameters, const anyp_model *model);

/* ---- size classes ---- */

/* Returns the number of elements by which a call is settled: `count` rounded to three binary
 * digits, and for equal blocks to a multiple of p. */
int64_t anypi_count_class(const anyp_call *call);

/* Returns the same of `largest`, 0 if the blocks are equal. */
int64_t anypi_largest_class(const anyp_call *call);

#endif
