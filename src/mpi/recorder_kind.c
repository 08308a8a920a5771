/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder_kind.c - finds the kind of a call from its arguments.
 */
#include "mpi/recorder_table.h"

anypi_recorder anypi_recorder_all = { .lock = PTHREAD_MUTEX_INITIALIZER, .stretch = 1 };

static int operator_of(MPI_Op op)
{
    static const MPI_Op known[] = {     /* in the order of anypi_recorded_op */
        MPI_OP_NULL, MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR,
        MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC,
    };
    int commutes = 1;
    for (int i = 0; i < (int) (sizeof known / sizeof *known); i++)
        if (op == known[i])
            return i;
    anypi_mpi.Op_commutative(op, &commutes);
    return commutes ? ANYPI_OP_USERS : ANYPI_OP_USERS_ORDERED;
}

/* Returns the bytes of an element; 0 if there is no datatype. */
static int64_t size_of(MPI_Datatype datatype, bool *derived)
{
    MPI_Count size = 0;
    if (datatype == MPI_DATATYPE_NULL)
        return 0;
    const anypi_type *known = anypi_type_find(datatype);
    if (known)
        return known->size;
    *derived = true;
    anypi_mpi.Type_size_x(datatype, &size);
    return size > 0 ? size : 0;
}

/* Returns the bytes of n blocks, and sets the largest of them. */
static double sum_of(int n, const anypi_integers *counts, MPI_Datatype datatype,
                     const MPI_Datatype *datatypes, bool *derived, double *largest)
{
    double sum = 0;
    const int64_t common = datatypes ? 0 : size_of(datatype, derived);
    for (int i = 0; counts->at && i < n; i++) {
        const int64_t count = anypi_integer(*counts, i);
        const int64_t size = !datatypes ? common : count > 0 ? size_of(datatypes[i], derived) : 0;
        const double bytes = (double) count * (double) size;
        sum += bytes;
        *largest = bytes > *largest ? bytes : *largest;
    }
    return sum;
}

/* Returns the number of ranks among which blocks are distributed: a group, the other group, or the
 * neighbors to which this rank sends. */
static int blocks_of(int collective, MPI_Comm comm, int p, int inter, int rank)
{
    int n = p, kind = MPI_UNDEFINED, in, weighted;
    if (inter)
        anypi_mpi.Comm_remote_size(comm, &n);
    if (collective < ANYP_COLLECTIVES)
        return n;
    anypi_mpi.Topo_test(comm, &kind);
    n = 0;
    if (kind == MPI_CART) {
        anypi_mpi.Cartdim_get(comm, &n);
        n *= 2;
    } else if (kind == MPI_GRAPH) {
        anypi_mpi.Graph_neighbors_count(comm, rank, &n);
    } else if (kind == MPI_DIST_GRAPH) {
        anypi_mpi.Dist_graph_neighbors_count(comm, &in, &n, &weighted);
    }
    return n;
}

static int power_above(double ratio)
{
    int power = 1;
    while (power < ratio && power < 1 << 29)
        power *= 2;
    return power;
}

/* Sets the members that follow from the call's arguments. Returns the call's bytes. */
static int64_t describe(anypi_calls *key, const anypi_arguments *raw, const anypi_state *state,
                        MPI_Comm comm)
{
    anypi_arguments its = *raw;
    const anypi_collective *of = &anypi_collectives[its.collective];
    int rank = 0, inter = 0;
    double bytes, largest = 0;
    if (state) {
        key->p = state->p;
        rank = state->rank;
        inter = state->inter;
    } else {
        anypi_mpi.Comm_size(comm, &key->p);
        anypi_mpi.Comm_rank(comm, &rank);
        anypi_mpi.Comm_test_inter(comm, &inter);
    }
    key->latest = rank;
    if (!inter)
        anypi_find_significant(&its, of, rank == its.root);
    key->in_place = its.in_place;
    if (!of->moves)
        key->op = operator_of(its.op);
    const int n = blocks_of(key->collective, comm, key->p, inter, rank);
    const bool neighbors = key->collective >= ANYP_COLLECTIVES;
    const bool gives = neighbors || its.sendcounts.at || its.sendtypes;
    if (of->arguments == ANYPI_TAKES_NOTHING) {
        bytes = 0;
    } else if (neighbors && !its.sendcounts.at) {
        bytes = (double) its.sendcount * (double) size_of(its.sendtype, &key->derived) * n;
    } else if (anypi_takes_local_sizes(of->arguments) || of->arguments == ANYPI_TAKES_COUNTS) {
        const bool sends = gives && its.sendcounts.at && !its.in_place;
        const anypi_integers *counts = sends ? &its.sendcounts : &its.counts;
        bytes = sum_of(n, counts, sends ? its.sendtype : its.datatype,
                       sends ? its.sendtypes : its.datatypes, &key->derived, &largest);
        if (!counts->at) {      /* a rank of a gatherv or scatterv that knows only its own block */
            const bool gathers = of->input == ANYPI_HAS_OWN;
            bytes = (double) (gathers ? its.sendcount : its.count) *
                (double) size_of(gathers ? its.sendtype : its.datatype, &key->derived) * n;
            largest = bytes / (n ? n : 1);
        }
        if (bytes > 0 && n > 0)
            key->uneven = power_above(largest / (bytes / n) * (1 - 1e-9));
        if (anypi_takes_local_sizes(of->arguments) && !neighbors)
            bytes = n ? bytes / n : 0;          /* the mean of a block */
    } else {
        const anyp_call call = { .collective = its.collective };
        bytes = (double) its.count * (double) size_of(its.datatype, &key->derived) *
            (anypi_has_equal_blocks(&call) || anypi_transposes(its.collective) ? n : 1);
    }
    key->type_size = its.datatypes ? 1 : (int) size_of(its.datatype, &key->derived);
    return bytes > 0 && bytes < 1e18 ? (int64_t) bytes : 0;
}

/* Returns the kind with the key, which one rank calls. NULL: no memory. */
static anypi_calls *find(const anypi_calls *key, int64_t bytes, int root)
{
    anypi_calls *kind = anypi_record_find(&anypi_recorder_all.record, key);
    if (kind && !kind->calls && !kind->ranks) {
        kind->least = kind->largest = bytes;
        kind->root = root;
        kind->ranks = 1;
        kind->latest = key->latest;
    }
    return kind;
}

anypi_kind_place anypi_recorder_kind(int collective, anypi_call_form form,
                                     const anypi_arguments *its, const anypi_state *state,
                                     MPI_Comm comm)
{
    anypi_calls key = { .collective = collective, .form = (int) form, .uneven = 1,
                        .nodes = state && state->noted ? state->noted->shape : 0,
                        .phase = anypi_recorder_all.phase };
    const int64_t bytes = describe(&key, its, state, comm);
    key.size = anypi_record_size(collective, bytes, false);
    const anypi_calls *kind = find(&key, bytes, its->root < 0 ? -1 : its->root);
    if (!kind)
        return (anypi_kind_place) { .index = -1, .site = -1 };
    return (anypi_kind_place) { (int) (kind - anypi_recorder_all.record.kinds), -1, bytes };
}

anypi_kind_place anypi_recorder_in_phase(anypi_kind_place place)
{
    anypi_calls key = anypi_recorder_all.record.kinds[place.index];
    key.phase = anypi_recorder_all.phase;
    const anypi_calls *kind = find(&key, place.bytes, key.root);
    if (kind)                   /* without memory, it is still a call of the first phase */
        place.index = (int) (kind - anypi_recorder_all.record.kinds);
    return place;
}

void anypi_recorder_add_seconds(const anypi_kind_place *place, double seconds)
{
    anypi_record *record = &anypi_recorder_all.record;
    record->kinds[place->index].seconds += seconds;
    if (place->site >= 0)
        record->sites[place->site].seconds += seconds;
}

void anypi_recorder_add(const anypi_kind_place *place, int root, double seconds)
{
    anypi_calls *kind = &anypi_recorder_all.record.kinds[place->index];
    anypi_recorder_add_seconds(place, seconds);
    if (place->site >= 0) {
        anypi_site *site = &anypi_recorder_all.record.sites[place->site];
        site->calls++;
        site->bytes += (double) place->bytes;
    }
    kind->calls++;
    kind->bytes += (double) place->bytes;
    if (place->bytes < kind->least)
        kind->least = place->bytes;
    if (place->bytes > kind->largest)
        kind->largest = place->bytes;
    if (kind->root != root)
        kind->root = -1;
}
