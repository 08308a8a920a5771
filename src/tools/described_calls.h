/* SPDX-License-Identifier: BSD-3-Clause
 *
 * described_calls.h - makes a call from a command line: collective, algorithm, parameters, vector;
 * and the schedules of all its ranks.
 *
 * Without --count and --bytes the vector is the long one: a multiple of p * 2^ceil(log2 p)
 * elements, so that blocks have equal size. It is so long that with default parameters every round
 * that may halve the vector does so, and the number of blocks is the largest. Times are then in
 * units of the whole vector (m = 1).
 */
#ifndef ANYPI_TOOL_DESCRIBED_CALLS_H_INCLUDED
#define ANYPI_TOOL_DESCRIBED_CALLS_H_INCLUDED

#include "analysis/sampled.h"
#include "analysis/simulate.h"
#include "analysis/sizes.h"
#include "analysis/uneven.h"
#include "tools/json.h"
#include "tools/tool_options.h"

typedef struct tool_call {
    anyp_call call;
    anypi_uneven shape;         /* of its blocks; ANYPI_EVEN: --uneven was not given */
    anypi_sizes sizes;          /* where ranks know only their own blocks: of these, */
    int64_t mean;               /* and their mean, in bytes; the call has no count */
    int64_t *starts;            /* memory for those of the call, or NULL */
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    bool long_vector;           /* neither --count nor --bytes was given */
} tool_call;

/* Reads the operands COLLECTIVE [ALGORITHM] and the options of the call. Without an algorithm it is
 * NULL, and the vector must be given. Returns TOOL_GOOD, or another status after an error message,
 * as all functions here. Only a call that is good must be freed, by anypi_tool_call_free(). */
int anypi_tool_call_read(const tool_options *options, tool_call *call);
void anypi_tool_call_free(tool_call *call);

/* The operands alone. */
int anypi_tool_collective(const tool_options *options, const char *name,
                          anyp_collective *collective);
int anypi_tool_algorithm(const tool_options *options, const char *name,
                         const anyp_algorithm **algorithm);
/* Reads "name=value", the argument of `option`, into parameters; *index is the parameter's. */
int anypi_tool_parameter(const tool_options *options, const char *option, const char *text,
                         const anyp_algorithm *algorithm, int *parameters, int *index);
/* Reads all --param for an algorithm; given[i] says which were given. With --nodes, an algorithm
 * that can use nodes does so unless a parameter says otherwise. */
int anypi_tool_parameters(const tool_options *options, const anyp_algorithm *algorithm,
                          int *parameters, bool *given);

/* Gives the call the vector of the options, or the long one. */
int anypi_tool_vector(const tool_options *options, tool_call *call);

/* Reads --uneven for the call, whose collective is known. */
int anypi_tool_shape(const tool_options *options, tool_call *call);
/* What the first line of an answer says about the shape: "" or ", uneven: half". */
const char *anypi_tool_shape_text(const tool_call *call);

/* For more processes, `anyp schedule --rank` generates that rank only, without skips and
 * bracketing. */
enum { TOOL_MAX_P_OF_SETS = 4096 };

/* Bytes of memory that a command may use: half of the machine's. */
double anypi_tool_memory(void);

/* The model of the options, in seconds (or the user's unit) per byte; the options beta and gamma
 * are per `unit` bytes. Without --overhead a port starts one message at a time: then each message
 * of a round adds alpha, half of it at either end. */
anyp_model anypi_tool_model(const tool_options *options, double unit);

/* The schedules of all ranks, for anypi_set_free(). An error if they would take more memory than
 * anypi_tool_memory(). */
int anypi_tool_set(const tool_options *options, const tool_call *call, anyp_schedule **set);

/* Generates and simulates these schedules. An error also if the bytes of all ranks are too many to
 * count. */
int anypi_tool_simulate(const tool_options *options, const tool_call *call,
                        const anyp_model *model, anypi_simulation *simulation);

/* Would the schedules of all ranks take too much memory, or their simulation too many seconds, so
 * that the answer is that of a sample of ranks? Not with --exact. */
bool anypi_tool_samples(const tool_options *options, const tool_call *call,
                        const anyp_model *model);

/* Counts a sample of ranks; the time is that of the closed form, INFINITY with --skew: it knows no
 * late ranks. It is an upper bound if the model is not eager and blocks are equal, and else an
 * estimate. */
int anypi_tool_sample(const tool_options *options, const tool_call *call, const anyp_model *model,
                      anypi_sampled *sampled);

/* Answers `anyp cost` for a call with local sizes (command_cost_local.c). */
int anypi_tool_cost_local(const tool_options *options, const tool_call *call);

void anypi_tool_parameters_json(tool_json *json, const anyp_algorithm *algorithm,
                                const int *parameters);
/* Write the members p, root (of reduce), count, type_size, ... */
void anypi_tool_vector_json(tool_json *json, const tool_call *call);
/* The same, after the members collective, algorithm and parameters. */
void anypi_tool_call_json(tool_json *json, const tool_call *call);

#endif
