/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes.c - the shape of a communicator: that of ANYP_NODES, or the nodes that MPI knows, and above
 * them the switches of a file of coordinates or of Slurm's variables. Each rank knows where it is
 * itself, so ranks send that to each other, once, and all of them make the same shape. If one does
 * not know it, or says it in another way than others, there are only nodes.
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

/* Where this rank is. */
typedef struct place {
    anypi_location levels;
    bool has_node;              /* `node` is a number for its node; else MPI knows the node */
    int node;
} place;

/* ---- what this rank knows ---- */

/* In the shape of ANYP_NODES. */
static void place_in_shape(place *here, const anyp_shape *shape, int rank)
{
    int position = rank;
    for (int i = 0; shape->rank && i < anypi_shape_ranks(shape); i++)
        if (shape->rank[i] == rank)
            position = i;
    here->has_node = true;
    here->node = anypi_shape_at(shape, position);
    for (int group = here->node; (shape = shape->above);) {
        group = anypi_shape_at(shape, group);
        here->levels.name[here->levels.count++] = (uint64_t) group;
    }
}

/* Reads the file once for all communicators, since it has a line for each rank, unless rank 0 has
 * read it in MPI_Init. */
static void place_in_file(anypi_location *levels, const char *file, int rank, int p)
{
    static struct {
        pthread_mutex_t lock;
        bool known;
        unsigned age;           /* anypi_settings_age() then */
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

/* Do all ranks know as many levels, and has each of them memory? If the former is false, *why says
 * which does not, and why. */
static bool compare(anypi_state *state, const place *here, bool *memory, char *why, size_t size)
{
    enum { LEVELS, INVERSE, NO_MEMORY, ALL };
    enum { FAULT = 1 << 8 };    /* more than any number of levels */
    const uint64_t own = *here->levels.fault ? FAULT : (uint64_t) here->levels.count;
    const uint64_t sent[ALL] = { own, ~own, !*memory };
    uint64_t maximum[ALL];
    if (anypi_mpi.Allreduce(sent, maximum, ALL, MPI_UINT64_T, MPI_MAX, state->user) ||
        maximum[NO_MEMORY]) {
        *memory = false;
        return true;
    }
    if (maximum[LEVELS] != FAULT && maximum[LEVELS] == ~maximum[INVERSE])
        return true;
    const bool odd = maximum[LEVELS] == FAULT ? own == FAULT : own != maximum[LEVELS];
    int rank = odd ? state->rank : state->p, first = 0;
    char text[sizeof here->levels.fault] = "";
    if (*here->levels.fault)
        memcpy(text, here->levels.fault, sizeof text);
    else if (own)
        snprintf(text, sizeof text, "it is in %d levels, and others are in %d", here->levels.count,
                 (int) maximum[LEVELS]);
    else
        snprintf(text, sizeof text, "SLURM_TOPOLOGY_ADDR is not set");
    *memory = !anypi_mpi.Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, state->user) &&
        !anypi_mpi.Bcast(text, sizeof text, MPI_CHAR, first, state->user);
    const int length = snprintf(why, size, "rank %d: ", first);
    anypi_append(why + length, size - (size_t) length, text);
    return false;
}

/* The first rank of this rank's node. */
static int first_of_node(const anypi_state *state)
{
    MPI_Comm node;
    MPI_Errhandler handler;
    int first = state->rank;
    const bool silenced = anypi_silence_errors(state->user, &handler);
    if (!anypi_mpi.Comm_split_type(state->user, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL,
                                   &node)) {
        anypi_mpi.Bcast(&first, 1, MPI_INT, 0, node);
        anypi_mpi.Comm_free(&node);
    }
    if (silenced)
        anypi_restore_errors(state->user, &handler);
    return first;
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

/* The number of a place is the first of its ranks. `list` is for p ranks; names of a rank follow
 * each other in `all`. */
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

/* Sets state->nodes, if there is memory, and *why to the reason why levels are not known, or "". */
static void find(anypi_state *state, place *here, char *why, size_t size)
{
    const size_t p = (size_t) state->p, most = (size_t) heights_of(here) * p;
    uint64_t *all = anypi_realloc(NULL, most * sizeof *all);
    int *places = anypi_realloc(NULL, most * sizeof *places);
    named *list = anypi_realloc(NULL, p * sizeof *list);
    bool memory = all && places && list;
    if (!compare(state, here, &memory, why, size))
        *here = (place) { .has_node = false };
    if (memory) {
        const int heights = heights_of(here);
        uint64_t own[ANYPI_SHAPE_HEIGHTS];
        own[0] = (uint64_t) (here->has_node ? here->node : first_of_node(state));
        memcpy(own + 1, here->levels.name, (size_t) here->levels.count * sizeof *own);
        if (!anypi_mpi.Allgather(own, heights, MPI_UINT64_T, all, heights, MPI_UINT64_T,
                                 state->user)) {
            number_places(all, heights, state->p, list, places);
            state->nodes = anypi_shape_make_of_places(places, heights, state->p);
        }
    }
    anypi_free(all);
    anypi_free(places);
    anypi_free(list);
    if (!anypi_all_ranks(state->user, state->nodes != NULL)) {
        anypi_shape_free(state->nodes);
        state->nodes = NULL;
    }
}

/* ---- the shape in force ---- */

const anyp_shape *anypi_state_nodes(anypi_state *state, const anypi_settings *settings)
{
    const anyp_shape *given = settings->nodes;
    const char *file = anypi_variable_value("COORDINATES_FILE");
    char from[1024] = "ANYP_NODES", why[512] = "";
    if (given && !(state->whole && anypi_shape_ranks(given) == state->p))
        given = NULL;
    const bool known = given || state->asked_nodes;
    if (!known) {
        place here;
        find_place(&here, state, settings);
        find(state, &here, why, sizeof why);
        state->asked_nodes = true;
        if (!here.has_node)
            snprintf(from, sizeof from, "the MPI library%s%s", here.levels.count ? " and " : "",
                     !here.levels.count ? "" : file ? file : "SLURM_TOPOLOGY_ADDR");
    }
    const anyp_shape *shape = given ? given : state->nodes;
    if (shape && settings->verbose && state->rank == 0 && (shape->count > 1 || *why) &&
        (!known || (given && !state->said_nodes))) {
        state->said_nodes = true;
        anypi_log_shape(state->age, shape, from, why);
    }
    return shape;
}
