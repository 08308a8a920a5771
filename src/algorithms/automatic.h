/* SPDX-License-Identifier: BSD-3-Clause
 *
 * automatic.h - parameters that are "auto": the values for which an algorithm's closed form has the
 * shortest time in the call, by the constants of the machine (network.h).
 *
 * The choice depends only on what is the same on all ranks: collective, p, vector, operator, nodes
 * and constants; not on rank, root or place. Calls whose counts round to the same three binary
 * digits share it: sizes of a quarter of an octave. An algorithm names the values that are worth a
 * try, all those with different schedules if it can; a few dozen closed forms are evaluated.
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

/* Writes the names of the parameters that asked[] has as "auto" into text, separated by commas;
 * those of nodes only if parameters[], what they became, use nodes. Returns text. */
char *anypi_automatic_text(const anyp_algorithm *algorithm, const int *parameters,
                           const int *asked, char *text, size_t size);

/* Sets settled[] to parameters[], and those that are "auto" to numbers. If no value that is tried
 * serves the call, anyp_applicable() says why not. `settled` may be `parameters`. */
void anypi_settle(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                  int *settled);

/* The same under a model instead of the constants of the machine; returns the time, INFINITY if no
 * value serves the call. */
double anypi_settle_by(const anyp_algorithm *algorithm, const anyp_call *call,
                       const anyp_model *model, const int *parameters, int *settled);

/* The closed form, and the number of blocks, of a call with parameters that may be "auto". */
anyp_cost anypi_cost_of(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters);
int anypi_blocks_of(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters);

/* The time of a closed form in a model without nodes, if overheads and transfers overlap. */
double anypi_expected_time(anyp_cost cost, const anyp_model *model);

/* The expected time in a model, which may have nodes whose ranks share network cards: no upper
 * bound as the closed form, but better to compare settings. Nothing is "auto". */
double anypi_form_time(const anyp_algorithm *algorithm, const anyp_call *call,
                       const int *parameters, const anyp_model *model);

/* The model of messages inside nodes, and of those that all ranks of all nodes, p ranks, send at
 * once: they share the cards. Both without nodes; the given one if that has none. The latter has
 * the latency between the highest groups, and the height whose links are shared most as `group` and
 * `taper`, which is at least 1. */
anyp_model anypi_inside_model(const anyp_model *model);
anyp_model anypi_shared_model(const anyp_model *model, int p);

/* The same for messages between ranks anywhere, so that most of the bytes leave groups; without
 * groups. */
anyp_model anypi_spread_model(const anyp_model *shared, int p);

/* The number of elements by which a call is settled: `count` rounded to three binary digits, and
 * for equal blocks to a multiple of p. */
int64_t anypi_count_class(const anyp_call *call);

/* The same of `largest`, 0 if the blocks are equal. */
int64_t anypi_largest_class(const anyp_call *call);

/* Adds a value to the first *count of list[ANYPI_TRIES], if it is new and there is room. */
void anypi_try(int *list, int *count, int64_t value);

#endif
