/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.c - finds the shape of a communicator. The shape is that of ANYP_NODES. Otherwise it has
 * the nodes that MPI knows and, above these, the switches of a file of coordinates or of Slurm's
 * variables.
 *
 * Each rank knows only its own place. So ranks exchange their places once, and all of them make the
 * same shape. If a rank does not know its switches, or knows another number of levels than the
 * others, the shape has only nodes. Equal nodes of consecutive ranks need no exchange of places,
 * only an allreduce of a few words.
 *
 * MPI_Init does this for MPI_COMM_WORLD. A communicator with a context (channel.h) uses its part of
 * that shape; only other communicators ask MPI again. The log shows the result:
 *
 *   anyp: shape: 5x(8x4),(5x4), from the MPI library and SLURM_TOPOLOGY_ADDR
 */
#include "mpi/internal.h"

#include "schedule/memory.h"
#include "schedule/shape.h"
#include "select/text.h"
#include "settings/coordinates.h"
#include "settings/variables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the log says about a shape: its source, and why switches are unknown, or "". */
typedef struct origin {
    char from[1024], why[512];
} origin;

/* The shape of MPI_COMM_WORLD. */
static struct {
    bool known;
    anyp_shape *shape;          /* NULL: unknown */
    uint64_t file;              /* hash of the name of the file of coordinates */
    origin origin;
} of_world;

/* The place of this rank. */
typedef struct place {
    anypi_location levels;
    bool has_node;              /* `node` is the number of its node; otherwise MPI knows the node */
    int node;
} place;

/* ---- what this rank knows ---- */

/* Sets the place from the shape of ANYP_NODES. */
static void place_in_shape(place *here, const anyp_shape *shape, int rank)
{
    int group = anypi_shape_position(shape, rank);
    here->has_node = true;
    here->node = group = anypi_shape_at(shape, group);
    while ((shape = shape->above)) {
        group = anypi_shape_at(shape, group);
        here->levels.name[here->levels.count++] = (uint64_t) group;
    }
}

/* Sets the levels from the file of coordinates. It has a line for each rank, so it is read once for
 * all communicators, unless rank 0 has read it in MPI_Init. */
static void place_in_file(anypi_location *levels, const char *file, int rank, int p)
{
    static struct {
        pthread_mutex_t lock;
        bool known;
        unsigned age;           /* anypi_settings_age() at that time */
        anypi_location levels;
    } last = { .lock = PTHREAD_MUTEX_INITIALIZER };
    if (anypi_shared_place(file, rank, levels))
        return;
    pthread_mutex_lock(&last.lock);
    if (!last.known || last.age != anypi_settings_age())
        anypi_location_of_file(&last.levels, file, rank, p);
    last.known = true;
    last.age = anypi_settings_age();
    *levels = last.levels;
    pthread_mutex_unlock(&last.lock);
}

static void find_place(place *here, const anypi_state *state, const anypi_settings *settings)
{
    const char *file = anypi_variable_value("COORDINATES_FILE");
    int rank, p, same;
    *here = (place) { .has_node = false };
    if (!settings->nodes && !file)
        anypi_location_of_slurm(&here->levels, getenv("SLURM_TOPOLOGY_ADDR"),
                              getenv("SLURM_TOPOLOGY_ADDR_PATTERN"));
    else if (!anypi_find_world(state->user, &rank, &p, &same))
        snprintf(here->levels.fault, sizeof here->levels.fault, "there is no MPI_COMM_WORLD");
    else if (settings->nodes)
        place_in_shape(here, settings->nodes, rank);
    else
        place_in_file(&here->levels, file, rank, p);
}

/* ---- what all ranks know ---- */

static int heights_of(const place *here)
{
    return 1 + here->levels.count;
}

/* The number of ranks of this rank's node, and the first of them. */
typedef struct local_node {
    int first, size;
    bool regular;               /* its ranks are first .. first + size - 1, and first is a multiple
                                 * of size */
} local_node;

/* Returns whether all ranks know the same number of levels. If not, sets to->why to a rank that
 * differs and its reason. Sets *error, and whether all nodes are regular and of the same size. */
static bool compare(anypi_state *state, const place *here, const local_node *node, bool *regular,
                    origin *to, int *error)
{
    enum { LEVELS, INVERSE, SIZE, INVERSE_SIZE, ODD, ALL };
    enum { FAULT = 1 << 8 };    /* more than the maximum number of levels */
    const uint64_t own = *here->levels.fault ? FAULT : (uint64_t) here->levels.count;
    const uint64_t ranks = (uint64_t) node->size;
    const uint64_t sent[ALL] = { own, ~own, ranks, ~ranks, !node->regular };
    uint64_t maximum[ALL];
    *error = anypi_mpi.Allreduce(sent, maximum, ALL, MPI_UINT64_T, MPI_MAX, state->user);
    if (*error)
        return true;
    *regular = maximum[SIZE] == ~maximum[INVERSE_SIZE] && !maximum[ODD];
    if (maximum[LEVELS] != FAULT && maximum[LEVELS] == ~maximum[INVERSE])
        return true;
    const bool odd = maximum[LEVELS] == FAULT ? own == FAULT : own != maximum[LEVELS];
    char text[sizeof here->levels.fault] = "";
    if (*here->levels.fault)
        memcpy(text, here->levels.fault, sizeof text);
    else if (own)
        snprintf(text, sizeof text, "it knows %d levels, but others know %d", here->levels.count,
                 (int) maximum[LEVELS]);
    else
        snprintf(text, sizeof text, "SLURM_TOPOLOGY_ADDR is not set");
    const int first = anypi_first_text(state->user, state->rank, state->p, odd, text, sizeof text,
                                       error);
    snprintf(to->why, sizeof to->why, "rank %d: ", first);
    anypi_append(to->why, sizeof to->why, text);
    return false;
}

/* Returns this rank's node, as MPI knows it. */
static local_node find_node(const anypi_state *state)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    int local = 0;
    local_node node = { .first = state->rank, .size = 1 };
    const bool silenced = anypi_silence_errors(state->user, &handler);
    if (!anypi_mpi.Comm_split_type(state->user, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL,
                                   &comm)) {
        anypi_mpi.Bcast(&node.first, 1, MPI_INT, 0, comm);
        anypi_mpi.Comm_size(comm, &node.size);
        anypi_mpi.Comm_rank(comm, &local);
        anypi_mpi.Comm_free(&comm);
    }
    if (silenced)
        anypi_restore_errors(state->user, &handler);
    node.regular = node.first % node.size == 0 && state->rank == node.first + local;
    return node;
}

/* The name of a rank's place. */
typedef struct named {
    uint64_t name;
    int rank;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    return x->name != y->name ? (x->name > y->name) - (x->name < y->name) : x->rank - y->rank;
}

/* Sets the number of each place to the lowest of its ranks. `list` has room for p ranks. In `all`,
 * the names of one rank follow each other. */
static void number_places(const uint64_t *all, int heights, int p, named *list, int *places)
{
    for (int h = 0; h < heights; h++, places += p) {
        for (int i = 0; i < p; i++)
            list[i] = (named) { .name = all[(ptrdiff_t) heights * i + h], .rank = i };
        qsort(list, (size_t) p, sizeof *list, by_name);
        for (int i = 0; i < p; i++)
            places[list[i].rank] = i > 0 && list[i].name == list[i - 1].name
                ? places[list[i - 1].rank] : list[i].rank;
    }
}

/* Returns the shape from the places of all ranks, which each rank sends. NULL: no memory. */
static anyp_shape *gather(const anypi_state *state, const place *here, int node)
{
    const int heights = heights_of(here);
    const size_t p = (size_t) state->p, most = (size_t) heights * p;
    uint64_t *all = anypi_realloc(NULL, most * sizeof *all);
    int *places = anypi_realloc(NULL, most * sizeof *places);
    named *list = anypi_realloc(NULL, p * sizeof *list);
    anyp_shape *shape = NULL;
    if (anypi_all_ranks(state->user, all && places && list)) {
        uint64_t own[ANYPI_SHAPE_HEIGHTS] = { (uint64_t) node };
        memcpy(own + 1, here->levels.name, (size_t) here->levels.count * sizeof *own);
        if (!anypi_mpi.Allgather(own, heights, MPI_UINT64_T, all, heights, MPI_UINT64_T,
                                 state->user)) {
            number_places(all, heights, state->p, list, places);
            shape = anypi_shape_make(places, heights, state->p);
        }
    }
    anypi_free(all);
    anypi_free(places);
    anypi_free(list);
    return shape;
}

/* Frees the shape if some rank has none for lack of memory, so that all ranks have the shape or
 * none. */
static void keep_if_all_have(anypi_state *state)
{
    if (anypi_all_ranks(state->user, state->nodes != NULL))
        return;
    anypi_shape_free(state->nodes);
    state->nodes = NULL;
}

/* Sets state->nodes, on all ranks or on none, by asking MPI and the other ranks. to->from stays if
 * ANYP_NODES describes the places. */
static void find(anypi_state *state, const anypi_settings *settings, origin *to)
{
    const char *file = anypi_variable_value("COORDINATES_FILE");
    place here;
    int error;
    bool regular = false;
    find_place(&here, state, settings);
    state->nodes = NULL;
    local_node node = { .first = here.node, .size = 1 };
    if (!here.has_node)
        node = find_node(state);
    if (!compare(state, &here, &node, &regular, to, &error)) {
        if (here.has_node) {
            node = find_node(state);
            regular = false;
        }
        here = (place) { .has_node = false };
    }
    if (!error && regular && heights_of(&here) == 1)
        state->nodes = anypi_shape_make_regular(state->p / node.size, node.size);
    else if (!error)
        state->nodes = gather(state, &here, node.first);
    keep_if_all_have(state);
    if (!here.has_node)
        snprintf(to->from, sizeof to->from, "the MPI library%s%s",
                 here.levels.count ? " and " : "",
                 !here.levels.count ? "" : file ? file : "SLURM_TOPOLOGY_ADDR");
}

/* Does the same for a communicator with a context, from the shape of MPI_COMM_WORLD. */
static void take_part(anypi_state *state, const anyp_shape *whole)
{
    const int heights = anypi_shape_length(whole);
    const size_t p = (size_t) state->p;
    int *const places = whole ? anypi_realloc(NULL, (size_t) heights * p * sizeof *places) : NULL;
    int *const positions = places ? anypi_shape_positions(whole) : NULL;
    /* if ANYP_NODES was set later, it may describe fewer ranks than the world has */
    bool known = positions || (places && !whole->rank);
    for (int i = 0; i < state->p && known; i++) {
        const int rank = anypi_channel_peer(&state->channel, i);
        known = rank < anypi_shape_ranks(whole);
        if (!known)
            break;
        int group = positions ? positions[rank] : rank, h = 0;
        for (const anyp_shape *one = whole; one; one = one->above, h++)
            places[(size_t) h * p + (size_t) i] = group = anypi_shape_at(one, group);
    }
    state->nodes = known ? anypi_shape_make(places, heights, state->p) : NULL;
    anypi_free(positions);
    anypi_free(places);
    keep_if_all_have(state);
}

/* ---- the shape in force ---- */

void anypi_nodes_open(anypi_state *world, const anypi_settings *settings)
{
    if (settings->nodes)
        return;
    find(world, settings, &of_world.origin);
    of_world.shape = world->nodes;
    of_world.file = anypi_hash_file(anypi_variable_value("COORDINATES_FILE"));
    of_world.known = true;
}

void anypi_nodes_free(anypi_state *state)
{
    if (state->nodes != of_world.shape)
        anypi_shape_free(state->nodes);
}

void anypi_nodes_close(void)
{
    anypi_shape_free(of_world.shape);
    of_world.shape = NULL;
    of_world.known = false;
}

/* Sets state->nodes in the first call that needs the shape. */
static void find_once(anypi_state *state, const anypi_settings *settings, origin *to)
{
    const uint64_t file = anypi_hash_file(anypi_variable_value("COORDINATES_FILE"));
    const bool in_world = state->channel.shared &&
        (settings->nodes || (of_world.known && of_world.file == file));
    if (in_world && settings->nodes) {
        take_part(state, settings->nodes);
    } else if (in_world) {
        *to = of_world.origin;
        if (state->whole && of_world.shape && anypi_shape_ranks(of_world.shape) == state->p)
            state->nodes = of_world.shape;
        else
            take_part(state, of_world.shape);
    } else {
        find(state, settings, to);
    }
    state->asked_nodes = true;
}

const anyp_shape *anypi_state_nodes(anypi_state *state, const anypi_settings *settings)
{
    const anyp_shape *given = settings->nodes;
    origin its = { .from = "ANYP_NODES" };
    if (given && !(state->whole && anypi_shape_ranks(given) == state->p))
        given = NULL;
    const bool known = given || state->asked_nodes;
    if (!known)
        find_once(state, settings, &its);
    const anyp_shape *shape = given ? given : state->nodes;
    if (shape && settings->verbose && state->rank == 0 && (shape->count > 1 || *its.why) &&
        (!known || (given && !state->said_nodes))) {
        state->said_nodes = true;
        anypi_log_shape(state->age, shape, its.from, its.why);
    }
    return shape;
}
