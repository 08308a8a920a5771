/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/prove.h"

#include "algorithms/registry.h"
#include "analysis/local_stages.h"
#include "analysis/verify.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"
#include "schedule/set.h"

#include <search.h>
#include <stdio.h>
#include <string.h>

enum { CHECK_ALL_P = 70, SAMPLE = 5 };

/* A set of this p. */
typedef struct known_set {
    uint64_t some, all;         /* hashes of some ranks and, up to CHECK_ALL_P, of all */
    bool proved;
} known_set;

/* A set as a few ranks show it. */
typedef struct sample {
    uint64_t hash;
    double work;                /* steps, and blocks that they name, of all ranks */
    double bytes;               /* of memory for generating and proving the set */
} sample;

/* Hashes what a proof depends on. The two reduce-scatters differ only in the sizes of blocks, and
 * so do the two allgathers. */
static uint64_t hash_call(const anyp_call *call)
{
    const anyp_collective collective =
        !anypi_has_equal_blocks(call) ? call->collective :
        anypi_scatters(call) ? ANYP_REDUCE_SCATTER : ANYP_ALLGATHERV;
    const uint64_t kind = call->in_place + 2u * call->commutative + 4u * call->reproducible +
        8u * call->gaps_in + 16u * call->gaps_out;
    return anypi_hash_ints(kind, (int) collective, call->root);
}

static anyp_status failed(anypi_prover *prover, const anypi_case *one, anyp_status status,
                          const char *why)
{
    char text[400];
    snprintf(prover->reason, sizeof prover->reason, "%s: %s",
             anypi_case_text(one, text, sizeof text), *why ? why : anyp_status_text(status));
    return status;
}

/* Generates a few ranks of a set. */
static anyp_status take_sample(anypi_prover *prover, const anypi_case *one, sample *seen)
{
    enum { STEP = sizeof(anyp_step) + 64, SYMBOL = 40 };
    const int p = one->call.p, ranks[SAMPLE] = { 0, p / 2, p - 2, p - 1, one->call.root };
    anyp_status status = ANYP_SUCCESS;
    anyp_schedule *schedule = &prover->one;
    *seen = (sample) { .hash = hash_call(&one->call) };
    for (int i = 0; i < one->algorithm->parameters_count; i++)
        if (!one->algorithm->parameters[i].bytes)
            seen->hash = anypi_hash_ints(seen->hash, i, one->parameters[i]);
    for (int i = 0; i < SAMPLE && status == ANYP_SUCCESS; i++) {
        anyp_call call = one->call;
        call.rank = ranks[i] < 0 ? 0 : ranks[i];
        call.in_place = anypi_set_in_place(&one->call, call.rank);
        status = anyp_generate(one->algorithm, &call, one->parameters, schedule);
        if (status != ANYP_SUCCESS)
            break;
        seen->hash = anypi_schedule_hash(seen->hash, schedule);
        double blocks = 0, held = schedule->blocks;
        for (int k = 0; k < schedule->steps_count; k++) {
            const anyp_step *step = &schedule->steps[k];
            const anyp_slice slice = step->kind == ANYP_SEND ? step->from : step->to;
            blocks += slice.end - slice.first;
        }
        for (int k = 0; k < schedule->scratch_count; k++)
            held += ((double) schedule->scratch[k].end - schedule->scratch[k].first) *
                (schedule->scratch[k].window_end - schedule->scratch[k].window_first) /
                schedule->scratch[k].period;
        seen->work += schedule->steps_count + blocks;
        seen->bytes += (double) schedule->steps_count * STEP + held * SYMBOL;
    }
    seen->work *= (double) p / SAMPLE;
    seen->bytes *= (double) p / SAMPLE;
    return status == ANYP_SUCCESS ? status : failed(prover, one, status, "");
}

/* ---- the sets of this p ---- */

static int by_some_ranks(const void *a, const void *b)
{
    const known_set *x = a, *y = b;
    return (x->some > y->some) - (x->some < y->some);
}

/* Returns the set of this hash, or a new one; NULL without memory. */
static known_set *find(anypi_prover *prover, uint64_t some)
{
    known_set *one = anypi_realloc(NULL, sizeof *one), **found;
    if (!one)
        return NULL;
    *one = (known_set) { .some = some };
    found = tsearch(one, &prover->known, by_some_ranks);
    if (!found || *found != one)
        anypi_free(one);
    return found ? *found : NULL;
}

static void forget(anypi_prover *prover)
{
    tdestroy(prover->known, anypi_free);
    prover->known = NULL;
}

/* ---- proofs ---- */

static anyp_status prove_set(anypi_prover *prover, const anypi_case *one, const sample *seen,
                             known_set *found)
{
    char why[512] = "";
    if (prover->most_bytes > 0 && seen->bytes > prover->most_bytes) {
        snprintf(why, sizeof why, "%d processes would take about %.0f MiB of memory, more than the "
                 "%.0f MiB that this proof may take; try fewer", one->call.p,
                 seen->bytes / (1 << 20), prover->most_bytes / (1 << 20));
        return failed(prover, one, ANYP_ERR_MEMORY, why);
    }
    if (!prover->verifier)
        prover->verifier = anypi_verifier_new();
    if (!prover->verifier)
        return failed(prover, one, ANYP_ERR_MEMORY, why);
    anyp_status status = anypi_set_generate_again(one->algorithm, &one->call, one->parameters,
                                                  &prover->set, &prover->set_capacity);
    if (status != ANYP_SUCCESS)
        return failed(prover, one, status, why);
    uint64_t all = hash_call(&one->call);
    if (one->call.p <= CHECK_ALL_P)
        for (int rank = 0; rank < one->call.p; rank++)
            all = anypi_schedule_hash(all, &prover->set[rank]);
    if (!found->proved) {
        status = anypi_verifier_check(prover->verifier, prover->set, &one->call,
                                      one->algorithm->properties, why, sizeof why);
    } else if (all != found->all) {
        status = ANYP_ERR_SCHEDULE;
        strcpy(why, "some ranks do the same as for another call, others do not");
    }
    if (status != ANYP_SUCCESS)
        return failed(prover, one, status, why);
    prover->proved += !found->proved;
    found->all = all;
    found->proved = true;
    return status;
}

static anyp_status prove_kind(anypi_prover *prover, const anypi_case *one, const sample *seen)
{
    known_set *found = find(prover, seen->hash);
    if (!found)
        return failed(prover, one, ANYP_ERR_MEMORY, "");
    return found->proved && one->call.p > CHECK_ALL_P ? ANYP_SUCCESS
        : prove_set(prover, one, seen, found);
}

/* Proves a kind, unless the algorithm refuses it: it may serve only commutative operators. */
static anyp_status try_kind(anypi_prover *prover, anypi_case *one, int kind)
{
    const char *reason;
    sample seen;
    anypi_set_kind(one->algorithm, &one->call, kind);
    if (anyp_applicable(one->algorithm, &one->call, one->parameters, &reason) != ANYP_SUCCESS)
        return ANYP_SUCCESS;
    const anyp_status status = take_sample(prover, one, &seen);
    return status == ANYP_SUCCESS ? prove_kind(prover, one, &seen) : status;
}

/* Returns the kind, of n kinds, whose turn it is at p. */
static int kind_in_turn(int p, int n)
{
    return (p + p / n) % n;
}

/* The average bytes of a block in proofs of calls with local sizes. */
enum { MEAN = 5 };

/* Proves a kind of a call with local sizes, for all kinds of sizes. */
static anyp_status prove_local(anypi_prover *prover, anypi_case *one, int kind)
{
    char why[400];
    anypi_set_kind(one->algorithm, &one->call, kind);
    anypi_local_call local = { one->call, one->algorithm, one->parameters, NULL, ANYPI_SIZES_EVEN,
                               MEAN };
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < ANYPI_SIZES_KINDS && status == ANYP_SUCCESS; i++) {
        local.kind = (anypi_sizes) i;
        status = anypi_local_prove(&local, why, sizeof why);
        prover->proved += status == ANYP_SUCCESS;
    }
    return status == ANYP_SUCCESS ? status : failed(prover, one, status, why);
}

anyp_status anypi_prove(anypi_prover *prover, const anypi_case *choice)
{
    anypi_case one = *choice;
    const int p = one.call.p, kinds = anypi_kinds(one.algorithm, &one.call);
    sample seen;
    if (anypi_has_local_sizes(one.call.collective)) {
        anyp_status status = ANYP_SUCCESS;
        if (p > ANYPI_ALL_KINDS_P)
            return prove_local(prover, &one, kind_in_turn(p, kinds));
        for (int kind = 0; kind < kinds && status == ANYP_SUCCESS; kind++)
            status = prove_local(prover, &one, kind);
        return status;
    }
    if (prover->p != p) {
        prover->p = p;
        forget(prover);
    }
    anypi_set_kind(one.algorithm, &one.call, 0);
    anyp_status status = take_sample(prover, &one, &seen);
    if (status == ANYP_SUCCESS && p > ANYPI_ALL_KINDS_P && seen.work > ANYPI_LARGE_SET) {
        const int64_t before = prover->proved;
        if (one.turn > 0 && (one.turn + p) % ANYPI_TURNS != 0)
            return ANYP_SUCCESS;
        status = try_kind(prover, &one, kind_in_turn(p, kinds));
        prover->in_turn += prover->proved - before;
        return status;
    }
    for (int kind = 0; kind < kinds && status == ANYP_SUCCESS; kind++)
        status = try_kind(prover, &one, kind);
    return status;
}

void anypi_prover_free(anypi_prover *prover)
{
    forget(prover);
    anypi_verifier_free(prover->verifier);
    anypi_set_free(prover->set, prover->set_capacity);
    anyp_schedule_free(&prover->one);
    prover->verifier = NULL;
    prover->set = NULL;
    prover->set_capacity = 0;
    prover->p = 0;
}
