/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp report - writes a page about the measurements of anyp-tune, or about a program's record. The
 * page needs no other file: page.html, whose script draws, is followed by the data as JSON.
 */
#include "tools/source_lines.h"
#include "tools/tool.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "options/text_file.h"
#include "report/run.h"
#include "report/trials.h"
#include "schedule/collectives.h"
#include "select/jsonc.h"
#include "tuner/node_shapes.h"
#include "tuner/noise.h"
#include "tuner/regions.h"
#include "tuner/timing_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything up to the data. */
static const char *const page_lines[] = {
#include "src/report/page.inc"
};

typedef struct sources {
    anypi_record *records;      /* first those before a change, then those after it */
    const char **names;         /* their files */
    int records_count;
    int before;                 /* how many are before it */
    const char **times;         /* the names of the timing files */
    int times_count;
    struct json_object *heads;  /* of the timing files */
    anypi_plan plan;
    anypi_choosing how;
    anypi_regions regions;
} sources;

/* ---- reading ---- */

/* Is the word in the first bytes of the text? */
static bool begins_with(const char *text, const char *word, size_t bytes)
{
    return memmem(text, strnlen(text, bytes), word, strlen(word));
}

/* Is the file, judged by its first line, a record? If not, *times: can it be a timing file? A file
 * that cannot be read can. */
static bool is_record(const char *file, bool *times)
{
    const char *reason;
    char *text = anypi_file_read(file, &reason);
    const bool record = text && begins_with(text, "\"anyp-record\"", 256);
    *times = !text || begins_with(text, "\"anyp-tune", strcspn(text, "\n"));
    free(text);
    return record;
}

/* Returns whether two records begin with the same program, whatever its arguments. */
static bool same_program(const anypi_record *one, const anypi_record *other)
{
    const size_t length = strcspn(one->command, " ");
    return length == strcspn(other->command, " ") && !strncmp(one->command, other->command, length);
}

/* Returns whether the records can be compared. False and a message if they cannot. */
static bool fit(const sources *its, bool split, char *message, size_t size)
{
    const int after = its->records_count - its->before;
    if (split && (!its->before || !after)) {
        snprintf(message, size, "there is no record %s '--'; give those before a change, then "
                 "'--', then those after it", its->before ? "behind" : "in front of");
        return false;
    }
    if (its->before > ANYPI_MAX_RUNS || after > ANYPI_MAX_RUNS) {
        snprintf(message, size, "more than %d records on a side; leave some out", ANYPI_MAX_RUNS);
        return false;
    }
    for (int i = 1; i < its->records_count; i++) {
        const anypi_record *record = &its->records[i];
        const int first = i < its->before ? 0 : its->before;
        const anypi_record *side = &its->records[first];
        if (record->p != its->records[0].p) {
            snprintf(message, size, "cannot compare records of %d and %d processes; record both "
                     "runs with the same number of processes", its->records[0].p, record->p);
            return false;
        }
        if (!same_program(side, record)) {
            snprintf(message, size, "%s is a record of %.*s, and %s of %.*s; give records of one "
                     "program on each side of '--'", its->names[first],
                     (int) strcspn(side->command, " "), side->command, its->names[i],
                     (int) strcspn(record->command, " "), record->command);
            return false;
        }
    }
    for (int i = 0; i < its->records_count && its->records_count > 2; i++)
        if (!its->records[i].complete) {
            snprintf(message, size, "%s is incomplete: the program is still running, or ended "
                     "before MPI_Finalize; leave it out", its->names[i]);
            return false;
        }
    return true;
}

/* Reads the records among the files, and lists the others. The last files (`after`) are of runs
 * after a change; without them, the second of two records is. False and a message on failure. */
static bool read_records(sources *its, char *const *files, int count, int after, char *message,
                         size_t size)
{
    const bool split = after > 0 && after < count;
    bool times;
    for (int i = 0; i < count; i++) {
        if (split && i >= count - after && *files[i] == '-') {
            snprintf(message, size, "'%s' follows '--', so it is read as a file; put options "
                     "before the files", files[i]);
            return false;
        }
        const bool record = is_record(files[i], &times);
        if (!record && !times) {
            snprintf(message, size, "%s: expected a record of anyp run --record or a timing file "
                     "of anyp-tune --save", files[i]);
            return false;
        } else if (!record) {
            its->times[its->times_count++] = files[i];
        } else if (!split && its->records_count == 2) {
            snprintf(message, size, "more than two records; write '--' between those before and "
                     "those after a change");
            return false;
        }
        if (!record)
            continue;
        its->names[its->records_count] = files[i];
        if (anypi_record_read(&its->records[its->records_count++], files[i], message, size) !=
            ANYP_SUCCESS)
            return false;
        its->before += split ? i < count - after : its->records_count == 1;
    }
    return fit(its, split && its->records_count > 0, message, size);
}

/* Reads the timing files, and makes the choices. */
static bool read_times(sources *its, bool mixed, char *message, size_t size)
{
    bool any = its->records_count > 0 || !its->times_count;
    if (!its->times_count)
        return true;
    if (!anypi_times_join(&its->plan, NULL, its->times, its->times_count, mixed, &its->heads,
                          message, size))
        return false;
    its->how = anypi_usual_choosing(&its->plan);
    for (int i = 0; i < its->plan.cells_count; i++)
        any |= its->plan.cells[i].rounds > 0;
    if (!any)
        snprintf(message, size, "%s contains no times", its->times[0]);
    return any && anypi_choose_all(&its->plan, &its->how, &its->regions);
}

/* ---- measurements ---- */

enum { GROUPS = ANYP_COLLECTIVES * 2 * ANYPI_NODES_KINDS };

static int group_of(const anypi_cell *cell)
{
    return (2 * (int) cell->collective + !cell->commutative) * ANYPI_NODES_KINDS +
        anypi_nodes_kind(cell->nodes);
}

/* Returns the prediction for a candidate, in seconds; INFINITY if there is none. */
static double predicted(const anypi_plan *plan, const anypi_cell *cell, int c)
{
    const anypi_candidate *candidate = anypi_candidate_of(plan, cell, c);
    const anyp_call call = anypi_cell_call(cell);
    anyp_model model;
    const char *reason;
    int settled[ANYP_MAX_PARAMETERS];
    if (!anypi_network_read(anypi_cell_network(plan, cell), &call, &model) ||
        anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason) !=
        ANYP_SUCCESS)
        return INFINITY;
    return anypi_settle_by(candidate->algorithm, &call, &model, candidate->parameters, settled);
}

/* Returns the fastest candidate of an algorithm (NULL: of all of AnyP); 0: none was measured. */
static int fastest_of(const anypi_plan *plan, const anypi_cell *cell,
                      const anyp_algorithm *algorithm)
{
    int best = 0;
    double time = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (cell->trials[c].count && anypi_time(cell, c) < time &&
            (!algorithm || anypi_candidate_of(plan, cell, c)->algorithm == algorithm)) {
            best = c;
            time = anypi_time(cell, c);
        }
    return best;
}

/* Writes a candidate's time, the ends of the bar at it, and a prediction for the fastest one of
 * an algorithm. "algorithm" is its place in the registry, which gives its letter, colour and
 * shape. */
static void write_candidate(anypi_json *json, const anypi_plan *plan, const anypi_cell *cell, int c)
{
    int count;
    const anypi_candidate *candidate = anypi_candidate_of(plan, cell, c);
    const anyp_algorithm *algorithm = candidate->algorithm;
    anypi_text name = anypi_candidate_text(candidate);
    anypi_candidate_shorten(name.text);
    anypi_json_write(json, "{ number:%d name:%s time:%g rounds:%d", c,
                     c ? name.text : "MPI library's choice",
                     anypi_time(cell, c), cell->trials[c].count);
    if (cell->trials[c].count)
        anypi_json_write(json, "high:%g shortest:%g", anypi_trial_interval(&cell->trials[c]).high,
                         anypi_shortest(&cell->trials[c]));
    if (algorithm)
        anypi_json_write(json, "algorithm:%d", (int) (algorithm - anyp_algorithms(&count)));
    if (algorithm && cell->trials[c].count && c == fastest_of(plan, cell, algorithm)) {
        const double time = predicted(plan, cell, c);
        if (time > 0 && time < INFINITY)
            anypi_json_write(json, "predicted:%g", time);
    }
    anypi_json_write(json, "}");
}

/* Writes a cell. "best" is the choice or, if the library's is chosen, AnyP's best (0: none);
 * "gain", the library's time divided by the time of "best", is missing without both. */
static void write_cell(anypi_json *json, const anypi_plan *plan, const anypi_cell *cell,
                       double margin)
{
    const int best = cell->choice ? cell->choice : fastest_of(plan, cell, NULL);
    anypi_json_write(json, "{ bytes:%" PRId64 " rounds:%d choice:%d best:%d anyp:%d",
                     cell->bytes, cell->rounds, cell->choice, best, cell->choice > 0);
    if (best && anypi_time(cell, 0) < INFINITY && anypi_time(cell, best) < INFINITY) {
        const double ratio = anypi_ratio(cell, best);
        const bool faster = plan->exact ? ratio < 1
            : anypi_significantly_faster(cell, best, 0, margin);
        const bool slower = plan->exact ? ratio > 1
            : anypi_significantly_faster(cell, 0, best, margin);
        anypi_json_write(json, "gain:%g faster:%hhd slower:%hhd", 1 / ratio, faster, slower);
    }
    anypi_json_write(json, "candidates:[");
    for (int c = 0; c < cell->candidates; c++)
        if (anypi_time(cell, c) < INFINITY)
            write_candidate(json, plan, cell, c);
    anypi_json_write(json, "] }");
}

/* Writes what a file says about its run: the text of its origin, and each value of "run". */
static void write_origin(anypi_json *json, const char *file, struct json_object *head)
{
    struct json_object *run = anypi_json_member(head, "run", json_type_object);
    anypi_json_write(json, "{ name:%s origin:%s run:[", file, anypi_times_origin(head));
    if (run) {
        json_object_object_foreach(run, name, value) {
            const char *shown = value ? json_object_get_string(value) : NULL;
            anypi_json_write(json, "[ %s %s ]", name, shown ? shown : "");
        }
    }
    anypi_json_write(json, "] }");
}

/* Writes the measurements as groups of cells that share a map (a collective, a kind of operator and
 * a kind of nodes), in them rows of cells that differ only in their sizes, and in each cell the
 * times of its candidates. */
static void write_times(anypi_json *json, const sources *its)
{
    const anypi_plan *plan = &its->plan;
    static const char *const kinds[] = { ", one node", ", several nodes, consecutive ranks",
                                         ", several nodes, ranks in other orders" };
    int algorithms;
    const anyp_algorithm *list = anyp_algorithms(&algorithms);
    bool nodes = false;
    for (int i = 0; i < plan->procs_count; i++)
        nodes |= plan->nodes[i] != NULL;
    anypi_json_write(json, "exact:%hhd margin:%g files:[", plan->exact, its->how.margin);
    for (int i = 0; i < its->times_count; i++)
        write_origin(json, its->times[i],
                     json_object_array_get_idx(its->heads, (size_t) i));
    anypi_json_write(json, "] algorithms:[");
    for (int i = 0; i < algorithms; i++)
        anypi_json_write(json, "%s", list[i].name);
    anypi_json_write(json, "] groups:[");
    for (int group = 0; group < GROUPS; group++) {
        const anypi_cell *before = NULL;
        for (int i = 0; i < plan->cells_count; i++) {
            const anypi_cell *cell = &plan->cells[i];
            if (!cell->rounds || group_of(cell) != group)
                continue;
            if (!before)
                anypi_json_write(json, "{ collective:%s operator:%s moves:%hhd nodes:%s sizes:%hhd "
                                 "network:%s rows:[", anypi_form_name(cell->collective),
                                 anypi_operator(cell->collective, cell->commutative),
                                 anypi_moves(cell->collective),
                                 nodes ? kinds[anypi_nodes_kind(cell->nodes)] : "",
                                 (bool) !anypi_has_no_data(cell->collective),
                                 anypi_cell_network(plan, cell));
            if (!before || !anypi_cell_alike(before, cell))
                anypi_json_write(json, before ? "] } { p:%d at:%s cells:[" : "{ p:%d at:%s cells:[",
                                 cell->p, anypi_procs_text(cell->p, cell->nodes).text);
            write_cell(json, plan, cell, its->how.margin);
            before = cell;
        }
        if (before)
            anypi_json_write(json, "] } ] }");
    }
    anypi_json_write(json, "]");
}

/* ---- the page ---- */

static char *write_page(const sources *its, const anypi_run *run, const char *notes)
{
    char *page = NULL;
    size_t length;
    anypi_json json = { .file = open_memstream(&page, &length) };
    if (!json.file)
        return NULL;
    for (size_t i = 0; i < sizeof page_lines / sizeof *page_lines; i++)
        fputs(page_lines[i], json.file);
    anypi_json_write(&json, "{ version:%s", PACKAGE_VERSION);
    if (run) {
        anypi_run_data(&json, run);
    } else {
        anypi_json_write(&json, "notes:%s", notes);
        write_times(&json, its);
    }
    anypi_json_write(&json, "}");
    fputs("</script>\n</body>\n</html>\n", json.file);
    return anypi_text_end(json.file, &page);
}

static char *write_table(const anypi_run *run)
{
    char *table = NULL;
    size_t length;
    FILE *file = open_memstream(&table, &length);
    if (!file)
        return NULL;
    anypi_run_headline(file, run);
    anypi_run_table(file, run);
    anypi_run_phases_table(file, run);
    anypi_run_sites_table(file, run);
    return anypi_text_end(file, &table);
}

/* Makes the page, with the data of records or of timing files. *table becomes the text of records
 * for a terminal, or NULL; both are to be freed with free(). *message receives the notes of joined
 * timing files, a line for each. On failure returns NULL and a message (one line). */
static char *make_page(const tool_options *options, char **table, char *message, size_t size)
{
    const int count = options->operands_count;
    sources its = { .records = calloc((size_t) count, sizeof *its.records),
                    .names = calloc((size_t) count, sizeof *its.names),
                    .times = calloc((size_t) count, sizeof *its.times) };
    anypi_run run = { 0 };
    char *page = NULL, **lines = NULL;
    *message = '\0';
    *table = NULL;
    bool good = its.times && its.names && its.records &&
        read_records(&its, options->operands, count, options->operands_after, message, size) &&
        read_times(&its, options->given[OPTION_MIXED], message, size);
    if (good && its.records_count) {
        const anypi_run_side before = { its.records, its.before };
        const anypi_run_side after = { its.records + its.before, its.records_count - its.before };
        good = anypi_run_make(&run, before, after, its.times_count ? &its.plan : NULL,
                              &its.regions);
        lines = anypi_source_lines(its.records);
        run.places = lines;
        *table = good ? write_table(&run) : NULL;
        good = *table;
    }
    if (good)
        page = write_page(&its, its.records_count ? &run : NULL, message);
    if (!page && (good || !*message))
        snprintf(message, size, "no memory");
    if (lines)
        anypi_source_lines_free(lines, its.records[0].sites_count);
    anypi_run_free(&run);
    anypi_regions_free(&its.regions);
    json_object_put(its.heads);
    anypi_plan_free(&its.plan);
    for (int i = 0; i < its.records_count; i++)
        anypi_record_free(&its.records[i]);
    free(its.records);
    free(its.names);
    free(its.times);
    return page;
}

static int run(const tool_options *options)
{
    char message[4096];
    const char *output = options->given[OPTION_OUTPUT] ? options->word[OPTION_OUTPUT]
        : "report.html";
    const bool standard = !strcmp(output, "-");
    int status = anypi_tool_mpich(options);
    if (status != TOOL_GOOD)
        return status;
    if (!standard && !anypi_file_writable(output, "--output", message, sizeof message))
        return anypi_tool_complain(options, TOOL_BAD, "%s", message);
    char *table;
    char *page = make_page(options, &table, message, sizeof message);
    if (!page)
        return anypi_tool_complain(options, TOOL_BAD, "%s", message);
    for (const char *line = message; *line; line += strcspn(line, "\n"), line += *line == '\n')
        anypi_tool_complain(options, TOOL_GOOD, "%.*s", (int) strcspn(line, "\n"), line);
    if (table && !standard)
        fputs(table, stdout);
    free(table);
    if (standard)
        fputs(page, stdout);
    else if (!anypi_file_replace(output, "--output", page, message, sizeof message))
        status = anypi_tool_complain(options, TOOL_BAD, "%s", message);
    else
        printf("page: %s\n", output);
    free(page);
    return status;
}

const tool_command anypi_tool_report = {
    .name = "report",
    .summary = "show a program's record, or the times of a machine",
    .operands = "FILE... [-- FILE...]",
    .operands_minimum = 1,
    .operands_maximum = 4096,
    .accepts = OPTION_BIT(OUTPUT) | OPTION_BIT(MPICH) | OPTION_BIT(MIXED),
    .description =
        "FILE is a record of `anyp run --record`. anyp report prints a table of the program's\n"
        "collectives: the seconds in which an average process works, and waits for late\n"
        "processes. The page contains the same with pictures. Two records are compared,\n"
        "before and after a change of the program. Timing files add what AnyP saves on that\n"
        "machine. With two records and timing files, a sentence compares the expected saving\n"
        "with the real one. If the commands or the numbers of calls differ, a warning says so.\n\n"
        "A single run cannot tell a difference from noise. So record several runs before and\n"
        "after the change, at least 4 of each, and write -- between them; put options first.\n"
        "The report then shows medians with intervals. A difference between two medians is\n"
        "called noise if their intervals overlap. If the load of the machine changes, let the\n"
        "runs take turns: before1, after1, before2, and so on. From 6 runs of each on, the report\n"
        "then compares the n-th run before the change with the n-th after it; a difference is\n"
        "noise if the 95 % interval of the median difference contains 0. All records must be of\n"
        "one program and one number of processes.\n\n"
        "If the program marks phases by MPI_Pcontrol, a table shows the seconds of each phase.\n"
        "Another table shows the places in the program from which collectives are called, with\n"
        "the seconds of the fastest and the slowest process. The program addr2line finds\n"
        "functions and lines; lines require a program that was compiled with -g.\n\n"
        "Or all FILEs are timing files of anyp-tune --save, joined as by anyp-tune --join.\n"
        "The page shows where AnyP is chosen, and how much faster it is than the MPI\n"
        "library's choice: maps of processes and sizes, curves with intervals, and errors of\n"
        "the closed forms.\n\n"
        "The page is one HTML file that needs no network. A browser with JavaScript draws it.\n",
    .examples = "  anyp report calls.json\n"
        "  anyp report before.json after.json machine.times\n"
        "  anyp report before[1-6].json -- after[1-6].json\n"
        "  anyp report machine.times\n"
        "  anyp report -o machine.html node.times cluster.times\n",
    .run = run,
};
