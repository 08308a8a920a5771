/* SPDX-License-Identifier: BSD-3-Clause
 *
 * described_calls.h - makes a call from a command line (collective, algorithm, parameters, vector)
 * and the schedules of all its ranks.
 *
 * Without --count and --bytes the vector is the long one: a multiple of p * 2^ceil(log2 p)
 * elements, so that blocks have equal size. It is so long that with default parameters every round
 * that may halve the vector does so, and the number of blocks is the largest. Times are then in
 * units of the whole vector (m = 1).
 */
#ifndef ANYPI_TOOL_DESCRIBED_CALLS_H_INCLUDED
#define ANYPI_TOOL_DESCRIBED_CALLS_H_INCLUDED

#include "analysis/count_sample.h"
#include "analysis/simulate.h"
#include "analysis/sizes.h"
#include "analysis/uneven.h"
#include "options/json.h"
#include "tools/tool.h"

typedef struct tool_call {
    anyp_call call;
    anypi_uneven shape;         /* of its blocks; ANYPI_EVEN: --uneven was not given */
    anypi_sizes sizes;          /* if ranks know only their own blocks: the kind of sizes, */
    int64_t mean;               /* and their mean, in bytes; the call has no count */
    int64_t *starts;            /* memory for the starts of the call, or NULL */
    const anyp_algorithm *algorithm;
    int asked[ANYP_MAX_PARAMETERS];     /* before "auto" is settled */
    int parameters[ANYP_MAX_PARAMETERS];
    bool long_vector;           /* neither --count nor --bytes was given */
} tool_call;

/* Reads the operands COLLECTIVE [ALGORITHM] and the options of the call. Without an operand
 * ALGORITHM the algorithm is NULL, and the vector must be given. Like all functions here, returns
 * TOOL_GOOD, or another status after an error message. Only a good call must be freed, by
 * anypi_tool_call_free(). */
int anypi_tool_call_read(const tool_options *options, tool_call *call);
void anypi_tool_call_free(tool_call *call);

/* Reads only the operands. */
int anypi_tool_collective(const tool_options *options, const char *name,
                          anyp_collective *collective);
int anypi_tool_algorithm(const tool_options *options, const char *name,
                         const anyp_algorithm **algorithm);
/* Reads "name=value", the argument of `option`, into parameters; *index is the parameter's
 * index. */
int anypi_tool_parameter(const tool_options *options, const char *option, const char *text,
                         const anyp_algorithm *algorithm, int *parameters, int *index);
/* Reads all --param for an algorithm; given[i] says whether parameter i was given. With --nodes, an
 * algorithm that can use nodes does so, unless a parameter says otherwise. */
int anypi_tool_parameters(const tool_options *options, const anyp_algorithm *algorithm,
                          int *parameters, bool *given);

/* Sets the call's vector to that of the options, or to the long one. */
int anypi_tool_vector(const tool_options *options, tool_call *call);

/* Reads --uneven for the call, whose collective is known. */
int anypi_tool_shape(const tool_options *options, tool_call *call);
/* Returns the first words of an answer: "COLLECTIVE by ALGORITHM, p = P, PARAMETER=VALUE ..." */
const char *anypi_tool_title(const tool_call *call);
/* Returns what the first line of an answer says about the shape: "" or ", uneven: half". */
const char *anypi_tool_shape_text(const tool_call *call);

/* Maximum p for which all ranks are generated. For more, `anyp schedule --rank` generates only that
 * rank, without skips and bracketing. */
enum { TOOL_MAX_P_OF_SETS = 4096 };

/* Returns the bytes of memory that a command may use: half of the machine's. */
double anypi_tool_memory(void);

/* Returns the model of the options, in seconds (or the user's unit) per byte. The options beta and
 * gamma are per `unit` bytes. Without --overhead a port starts one message at a time: each further
 * message of a round adds alpha, half of it at either end. */
anyp_model anypi_tool_model(const tool_options *options, double unit);

/* Makes the schedules of all ranks, for anypi_set_free(). An error if they would need more memory
 * than anypi_tool_memory(). */
int anypi_tool_set(const tool_options *options, const tool_call *call, anyp_schedule **set);

/* Generates and simulates the schedules of a call. An error also if the bytes of all ranks are too
 * many to count. */
int anypi_tool_simulate(const tool_options *options, const tool_call *call,
                        const anyp_model *model, anypi_simulation *simulation);

/* Must the answer come from a sample of ranks, because the schedules of all would need too much
 * memory or their simulation too many seconds? Never with --exact. */
bool anypi_tool_samples(const tool_options *options, const tool_call *call,
                        const anyp_model *model);

/* Counts a sample of ranks. The time is that of the closed form; with --skew it is INFINITY, since
 * closed forms know no late ranks. The time is an upper bound if the model is not eager and blocks
 * are equal; otherwise it is an estimate. */
int anypi_tool_sample(const tool_options *options, const tool_call *call, const anyp_model *model,
                      anypi_sample_counts *sampled);

/* Answers `anyp cost` for a call with local sizes (command_cost_local.c). */
int anypi_tool_cost_local(const tool_options *options, const tool_call *call);

void anypi_tool_parameters_json(anypi_json *json, const anyp_algorithm *algorithm,
                                const int *parameters);
/* Write the members p, root (of reduce), count, type_size, ... */
void anypi_tool_vector_json(anypi_json *json, const tool_call *call);
/* The same, after the members collective, algorithm and parameters. */
void anypi_tool_call_json(anypi_json *json, const tool_call *call);

#endif
