/* SPDX-License-Identifier: BSD-3-Clause
 *
 * records.c - what is in the journal: results of candidates, by cell, and models, by number of
 * processes.
 */
#include "measure/session.h"

#include "plan/form.h"
#include "plan/shapes.h"
#include "schedule/schedule.h"
#include "select/jsonc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 512 };

static const char *key_of(const char *what, const anypi_cell *cell, char *text)
{
    char where[256];
    snprintf(text, KEY_SIZE, "%s of %s, %s, %s, %lld bytes", what,
             anypi_form_name(cell->collective), anypi_operator(cell->collective, cell->commutative),
             anypi_procs_text(cell->p, cell->nodes, where, sizeof where), (long long) cell->bytes);
    return text;
}

/* The run that went before had taken that long, too. */
static void take(anypi_session *session)
{
    double clock;
    const double at = anypi_journal_take(session->journal, &clock), now = anypi_elapsed(session);
    session->clock = session->plan->exact ? clock : 0;
    if (at > now)
        session->start -= at - now;
}

/* Without its journal the run goes on, but must not be killed. */
static void append(anypi_session *session, const char *key, struct json_object *got)
{
    if (anypi_journal_append(session->journal, key, anypi_elapsed(session), MPI_Wtime(), got))
        return;
    fprintf(stderr, "anyp-tune: the file for --resume cannot be written any more\n");
    anypi_journal_close(session->journal, false);
    session->journal = NULL;
}

/* A number that stands for the names of the hosts of all ranks; on rank 0. */
static uint64_t hash_of_hosts(const anypi_session *session)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length, size;
    MPI_Get_processor_name(name, &length);
    MPI_Comm_size(session->world, &size);
    uint64_t own = 0, *all = session->rank ? NULL : calloc((size_t) size, sizeof *all);
    for (int i = 0; i < length; i++)
        own = anypi_hash_ints(own, name[i], i);
    PMPI_Gather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, session->world);
    own = 0;
    for (int i = 0; all && i < size; i++)
        own = anypi_hash_ints(own ^ all[i], i, 0);
    free(all);
    return own;
}

static void say(struct json_object *run, const char *name, const char *text)
{
    json_object_object_add(run, name, json_object_new_string(text));
}

struct json_object *anypi_describe_run(const anypi_session *session, const char *library, bool all)
{
    const anypi_plan *plan = session->plan;
    const uint64_t hosts = hash_of_hosts(session);
    struct json_object *run = session->rank ? NULL : json_object_new_object();
    char text[4096], where[256];
    size_t used;
    if (!run)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int) strcspn(library, "\n"), library);
    say(run, "MPI", text);
    say(run, "AnyP", PACKAGE_VERSION);
    snprintf(text, sizeof text, "%016llx", (unsigned long long) hosts);
    say(run, "hosts", text);
    used = 0;
    for (int i = 0; i < plan->procs_count && used < sizeof text; i++)
        used += (size_t) snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                  anypi_procs_text(plan->procs[i], plan->nodes[i], where,
                                                   sizeof where));
    say(run, "processes", text);
    used = 0;
    for (int i = 0; i < plan->sizes_count && used < sizeof text; i++)
        used += (size_t) snprintf(text + used, sizeof text - used, "%s%lld", i ? ", " : "",
                                  (long long) plan->sizes[i]);
    say(run, "sizes", text);
    used = (size_t) snprintf(text, sizeof text, "%s", all ? "all candidates: " : "");
    for (int i = 0; i < ANYP_COLLECTIVES && used < sizeof text; i++)
        if (plan->wanted[i])
            used += (size_t) snprintf(text + used, sizeof text - used, "%s ",
                                      anypi_form_name((anyp_collective) i));
    say(run, "collectives", text);
    snprintf(text, sizeof text, "%s%s%s", plan->unwanted[0] ? "" : "sum ",
             plan->unwanted[1] ? "" : "matrix ", plan->only_anyp ? "only AnyP" : "");
    say(run, "operators", text);
    return run;
}

bool anypi_recorded_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                         const unsigned char *chosen, int *outcomes, double *times)
{
    const anypi_candidates *candidates = &session->plan->candidates[cell->collective];
    char key[KEY_SIZE], text[ANYPI_TEXT_SIZE];
    struct json_object *got = session->journal
        ? anypi_journal_find(session->journal, key_of(what, cell, key)) : NULL;
    if (!got)
        return false;
    for (int c = 0; c < cell->candidates; c++)
        if (chosen[c] &&
            !anypi_journal_read(got, anypi_candidate_text(&candidates->list[c], text, sizeof text),
                                &times[c], &outcomes[c]))
            return false;
    take(session);
    return true;
}

void anypi_record_cell(anypi_session *session, const char *what, const anypi_cell *cell,
                       const unsigned char *chosen, const int *outcomes, const double *times)
{
    const anypi_candidates *candidates = &session->plan->candidates[cell->collective];
    char key[KEY_SIZE], text[ANYPI_TEXT_SIZE];
    if (!session->journal)
        return;
    struct json_object *got = json_object_new_object();
    for (int c = 0; c < cell->candidates; c++)
        if (chosen[c])
            anypi_journal_put(got, anypi_candidate_text(&candidates->list[c], text, sizeof text),
                              times[c], outcomes[c]);
    append(session, key_of(what, cell, key), got);
}

void anypi_record_models(anypi_session *session, int index)
{
    anypi_plan *plan = session->plan;
    char key[KEY_SIZE], where[256], name[64];
    if (!session->journal)
        return;
    snprintf(key, sizeof key, "models, %s",
             anypi_procs_text(plan->procs[index], plan->nodes[index], where, sizeof where));
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
            int exact = plan->exact;
            snprintf(name, sizeof name, "%s %s", all[k].name, i ? "matrix" : "sum");
            if (old && anypi_journal_read(old, name, all[k].value, &exact))
                plan->exact = exact;
            else if (got)
                anypi_journal_put(got, name, *all[k].value, exact);
        }
        model->cards = (int) cards;
    }
    if (old)
        take(session);
    else
        append(session, key, got);
}
