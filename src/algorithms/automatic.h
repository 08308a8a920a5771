/* SPDX-License-Identifier: BSD-3-Clause
 *
 * automatic.h - chooses parameters that are "auto": the values for which an algorithm's closed form
 * has the shortest time in the call, by the constants of the machine (network.h).
 *
 * The choice depends only on values that are the same on all ranks: collective, p, vector,
 * operator, nodes and constants. It does not depend on rank, root or place. Calls whose counts
 * round to the same three binary digits (a quarter of an octave) share it. An algorithm names the
 * values that are worth a try, if it can all those with different schedules; a few dozen closed
 * forms are evaluated.
 */
#ifndef ANYPI_AUTOMATIC_H_INCLUDED
#define ANYPI_AUTOMATIC_H_INCLUDED

#include "anyp.h"

/* The maximum number of values that are tried of one parameter. */
enum { ANYPI_TRIES = 40 };

/* Is the value "auto"? */
bool anypi_is_automatic(const anyp_parameter *parameter, int value);
/* Is one of the values "auto"? */
bool anypi_any_automatic(const anyp_algorithm *algorithm, const int *parameters);

/* Writes the names of the parameters that are "auto" in asked[] into text, separated by commas.
 * Parameters of nodes are included only if the settled values, parameters[], use nodes. Returns
 * text. */
char *anypi_automatic_text(const anyp_algorithm *algorithm, const int *parameters,
                           const int *asked, char *text, size_t size);

/* Sets settled[] to parameters[], with numbers in place of "auto". If no tried value serves the
 * call, anyp_applicable() says why not. `settled` may be `parameters`. */
void anypi_settle(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                  int *settled);

/* As above, under a model instead of the constants of the machine. Returns the time, INFINITY if no
 * value serves the call. */
double anypi_settle_by(const anyp_algorithm *algorithm, const anyp_call *call,
                       const anyp_model *model, const int *parameters, int *settled);

/* Return the closed form, and the number of blocks, of a call whose parameters may be "auto". */
anyp_cost anypi_cost_of(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters);
int anypi_blocks_of(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters);

/* Returns the time of a closed form in a model without nodes, if overheads and transfers
 * overlap. */
double anypi_expected_time(anyp_cost cost, const anyp_model *model);

/* Returns the expected time in a model, which may have nodes whose ranks share network cards.
 * Unlike the closed form it is no upper bound, but it is better to compare settings. Nothing is
 * "auto". */
double anypi_form_time(const anyp_algorithm *algorithm, const anyp_call *call,
                       const int *parameters, const anyp_model *model);

/* Two models without nodes, for a model with nodes (if it has none, the model itself): for messages
 * inside nodes; and for messages that all ranks of all nodes, p ranks, send together, so that they
 * share the cards. The latter has the latency between the highest groups. The height whose links
 * are shared most becomes `group` and `taper`, which is at least 1. */
anyp_model anypi_inside_model(const anyp_model *model);
anyp_model anypi_shared_model(const anyp_model *model, int p);

/* As the latter, for messages between ranks anywhere, so that most of the bytes leave groups; it
 * has no groups. */
anyp_model anypi_spread_model(const anyp_model *shared, int p);

/* Returns the number of elements by which a call is settled: `count` rounded to three binary
 * digits, and for equal blocks to a multiple of p. */
int64_t anypi_count_class(const anyp_call *call);

/* Returns the same of `largest`, 0 if the blocks are equal. */
int64_t anypi_largest_class(const anyp_call *call);

/* Adds a value to the first *count of list[ANYPI_TRIES], if it is new and there is room. */
void anypi_try(int *list, int *count, int64_t value);

#endif
