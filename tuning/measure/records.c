/* SPDX-License-Identifier: BSD-3-Clause
 *
 * records.c - describes a run, for the journal and the timing file; and writes and reads the
 * records of the journal: results of candidates, by cell, and models, by number of processes.
 */
#include "measure/records.h"

#include "measure/budget.h"
#include "measure/results.h"
#include "tuner/candidates.h"
#include "tuner/node_shapes.h"
#include "schedule/schedule.h"
#include "schedule/shape.h"
#include "select/jsonc.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { KEY_SIZE = 512 };

static const char *key_of(const char *what, const anypi_cell *cell, char *text)
{
    snprintf(text, KEY_SIZE, "%s: %s", what, anypi_cell_text(cell).text);
    return text;
}

/* Adds the time that the record took in the earlier run. */
static void take(anypi_session *session)
{
    double clock;
    const double at = anypi_journal_take(session->journal, &clock), now = anypi_elapsed(session);
    session->clock = session->plan->exact ? clock : 0;
    if (at > now)
        session->start -= at - now;
}

/* Appends a record. If the journal fails the run continues, but can no longer be resumed. */
static void append(anypi_session *session, const char *key, struct json_object *got)
{
    if (anypi_journal_append(session->journal, key, anypi_elapsed(session), MPI_Wtime(), got))
        return;
    fprintf(stderr, "anyp-tune: the file for --resume can no longer be written\n");
    anypi_journal_close(session->journal, false);
    session->journal = NULL;
}

/* The host of a rank and the rank's place there. */
typedef struct place {
    uint64_t host, processor;   /* numbers that stand for their names */
    uint64_t allowed;           /* a number for the set of processors that the rank may use */
} place;

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0;
    for (int i = 0; text[i]; i++)
        hash = anypi_hash_ints(hash, text[i], i);
    return hash;
}

/* Writes the model of the processors, as Linux names it; if unknown, the system's name for them. */
static void processor_name(char *text, size_t size, const struct utsname *system)
{
    char line[512], *colon;
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "%s", system->machine);
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10) && (colon = strchr(line, ':'))) {
            colon++;
            colon += strspn(colon, " ");
            snprintf(text, size, "%.*s", (int) strcspn(colon, "\n"), colon);
            break;
        }
    if (file)
        fclose(file);
}

/* Returns a number for the set of processors that the rank may use; 0: unknown. */
static uint64_t allowed_processors(void)
{
    cpu_set_t set;
    uint64_t hash = 1;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            hash = anypi_hash_ints(hash, (int) i, 0);
    return hash;
}

static int by_host(const void *one, const void *other)
{
    const uint64_t a = ((const place *) one)->host, b = ((const place *) other)->host;
    return (a > b) - (a < b);
}

static void say(struct json_object *run, const char *name, const char *text)
{
    json_object_object_add(run, name, json_object_new_string(text));
}

__attribute__((format(printf, 3, 4)))
static void say_formatted(struct json_object *run, const char *name, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(run, name, text);
}

/* Describes the hosts, whatever the order of ranks: names, processors and how ranks are placed. */
static void say_places(struct json_object *run, place *all, int size, const char *processor)
{
    int hosts = 0, least = size, most = 0;
    bool bound = false, alike = true;
    uint64_t names = 0;
    qsort(all, (size_t) size, sizeof *all, by_host);
    for (int i = 0, end; i < size; i = end) {
        for (end = i; end < size && all[end].host == all[i].host; end++) {
            bound = bound || all[end].allowed != all[i].allowed;
            alike = alike && all[end].processor == all[0].processor;
        }
        least = end - i < least ? end - i : least;
        most = end - i > most ? end - i : most;
        names = anypi_hash_ints(names ^ all[i].host, hosts++, 0);
    }
    say_formatted(run, "hosts", "%d", hosts);
    say_formatted(run, "host names", "%016llx", (unsigned long long) names);
    say_formatted(run, "processor", "%s%s", processor, alike ? "" : ", and others");
    say_formatted(run, "cores", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    say_formatted(run, "ranks of a host", least < most ? "%d to %d" : "%d", least, most);
    /* with one rank on each host this cannot be known, and does not matter much */
    say(run, "binding", most == 1 ? "one rank on a host" : bound
        ? "ranks have processors of their own" : "none");
}

/* Describes the machine and the software. On all ranks; false without memory, on rank 0. */
static bool say_machine(const anypi_session *session, struct json_object *run)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "", processor[256];
    struct utsname system = { .machine = "unknown" };
    int length;
    uname(&system);
    processor_name(processor, sizeof processor, &system);
    MPI_Get_processor_name(name, &length);
    place own = { hash_of(name), hash_of(processor), allowed_processors() };
    place *all = session->rank ? NULL : calloc((size_t) session->max, sizeof *all);
    /* all take part, even if rank 0 has no memory */
    int room = session->rank || all;
    MPI_Bcast(&room, 1, MPI_INT, 0, session->world);
    if (!room)
        return false;
    PMPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, session->world);
    if (session->rank)
        return true;
    say(run, "date", anypi_date());
    say_formatted(run, "MPI", "%.*s", (int) strcspn(session->library, "\n"), session->library);
    say(run, "AnyP", PACKAGE_VERSION);
    say_places(run, all, session->max, processor);
    say_formatted(run, "kernel", "%s %s %s", system.sysname, system.release, system.machine);
    say_formatted(run, "clock", "MPI_Wtime, %.3g s", MPI_Wtick());
    free(all);
    return true;
}

struct json_object *anypi_describe_run(const anypi_session *session)
{
    const anypi_plan *plan = session->plan;
    struct json_object *run = session->rank ? NULL : json_object_new_object();
    char text[4096];
    size_t used;
    if (!say_machine(session, run) || !run) {
        json_object_put(run);
        return NULL;
    }
    used = 0;
    for (int i = 0; i < plan->procs_count && used < sizeof text; i++)
        used += (size_t) snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                  anypi_procs_text(plan->procs[i], plan->nodes[i]).text);
    say(run, "processes", text);
    used = 0;
    for (int i = 0; i < plan->sizes_count && used < sizeof text; i++)
        used += (size_t) snprintf(text + used, sizeof text - used, "%s%lld", i ? ", " : "",
                                  (long long) plan->sizes[i]);
    say(run, "sizes", text);
    used = (size_t) snprintf(text, sizeof text, "%s",
                            session->options->all ? "all candidates: " : "");
    for (int i = 0; i < ANYP_COLLECTIVES && used < sizeof text; i++)
        if (plan->wanted[i])
            used += (size_t) snprintf(text + used, sizeof text - used, "%s ",
                                      anypi_form_name((anyp_collective) i));
    say(run, "collectives", text);
    say_formatted(run, "operators", "%s%s%s", plan->unwanted[0] ? "" : "sum ",
                  plan->unwanted[1] ? "" : "matrix ", plan->only_anyp ? "only AnyP" : "");
    return run;
}

static anypi_text text_of(const anypi_session *session, const anypi_cell *cell, int c)
{
    return anypi_candidate_text(anypi_candidate_of(session->plan, cell, c));
}

bool anypi_recorded_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                         const unsigned char *chosen, int *outcomes, double *times)
{
    char key[KEY_SIZE];
    struct json_object *got = session->journal
        ? anypi_journal_find(session->journal, key_of(what, cell, key)) : NULL;
    if (!got)
        return false;
    for (int c = 0; c < cell->candidates; c++)
        if (chosen[c] &&
            !anypi_journal_read(got, text_of(session, cell, c).text, &times[c], &outcomes[c]))
            return false;
    take(session);
    return true;
}

void anypi_record_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                       const unsigned char *chosen, const int *outcomes, const double *times)
{
    char key[KEY_SIZE];
    if (!session->journal)
        return;
    struct json_object *got = json_object_new_object();
    for (int c = 0; c < cell->candidates; c++)
        if (chosen[c])
            anypi_journal_put(got, text_of(session, cell, c).text, times[c], outcomes[c]);
    append(session, key_of(what, cell, key), got);
}

/* Reads a constant of a model from an old record, or writes it into a new one. */
static void record_number(anypi_plan *plan, struct json_object *old, struct json_object *got,
                          const char *name, double *value)
{
    int exact = plan->exact;
    if (old && anypi_journal_read(old, name, value, &exact))
        plan->exact = exact;
    else if (got)
        anypi_journal_put(got, name, *value, exact);
}

void anypi_record_models(anypi_session *session, int index)
{
    static const char *const operators[] = { "sum", "matrix" };
    anypi_plan *plan = session->plan;
    char key[KEY_SIZE], name[64];
    if (!session->journal)
        return;
    snprintf(key, sizeof key, "models, %s",
             anypi_procs_text(plan->procs[index], plan->nodes[index]).text);
    struct json_object *old = anypi_journal_find(session->journal, key);
    struct json_object *got = old ? NULL : json_object_new_object();
    for (int i = 0; i < 2; i++) {
        anyp_model *model = &session->models[i];
        double cards = model->cards;
        const struct { const char *name; double *value; } all[] = {
            { "alpha", &model->alpha }, { "beta", &model->beta }, { "gamma", &model->gamma },
            { "overhead", &model->overhead }, { "inside_alpha", &model->inside_alpha },
            { "inside_beta", &model->inside_beta }, { "cards", &cards },
        };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            snprintf(name, sizeof name, "%s %s", all[k].name, operators[i]);
            record_number(plan, old, got, name, all[k].value);
        }
        for (int h = 0; h < anypi_shape_length(plan->nodes[index]) - 1; h++) {
            snprintf(name, sizeof name, "alpha %d %s", h + 1, operators[i]);
            record_number(plan, old, got, name, &model->above[h].alpha);
            snprintf(name, sizeof name, "beta %d %s", h + 1, operators[i]);
            record_number(plan, old, got, name, &model->above[h].beta);
        }
        model->cards = (int) cards;
    }
    if (old)
        take(session);
    else
        append(session, key, got);
}
