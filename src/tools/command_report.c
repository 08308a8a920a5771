/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp report - writes a page about the measurements of anyp-tune, or about a program's record. The
 * page needs no other file: page.html, whose script draws, is followed by the data as JSON.
 */
#include "tools/tool.h"

#include "report/run.h"
#include "report/times.h"
#include "tuner/text_file.h"
#include "tuner/timing_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 2 };

/* Everything up to the data. */
static const char *const page_lines[] = {
#include "src/report/page.inc"
};

typedef struct sources {
    anypi_record records[MOST_RECORDS];
    int records_count;
    const char **times;         /* the names of the timing files */
    int times_count;
    char **texts;
    anypi_plan plan;
    anypi_choosing how;
    anypi_regions regions;
} sources;

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

/* Reads the records among the files, and lists the others. False and a message on failure. */
static bool read_records(sources *its, char *const *files, int count, char *message,
                         size_t size)
{
    bool times;
    for (int i = 0; i < count; i++) {
        const bool record = is_record(files[i], &times);
        if (!record && !times) {
            snprintf(message, size, "%s: expected a record of anyp run --record or a timing file "
                     "of anyp-tune --save", files[i]);
            return false;
        } else if (!record) {
            its->times[its->times_count++] = files[i];
        } else if (its->records_count == MOST_RECORDS) {
            snprintf(message, size, "more than two records; give one, or two of a program before "
                     "and after a change");
            return false;
        } else if (anypi_record_read(&its->records[its->records_count++], files[i], message,
                                     size) != ANYP_SUCCESS) {
            return false;
        }
    }
    const bool same = its->records_count < 2 || its->records[1].p == its->records[0].p;
    if (!same)
        snprintf(message, size, "cannot compare records of %d and %d processes; record both runs "
                 "with the same number of processes", its->records[0].p, its->records[1].p);
    return same;
}

/* Reads the timing files, and makes the choices. */
static bool read_times(sources *its, bool mixed, char *message, size_t size)
{
    bool any = its->records_count > 0 || !its->times_count;
    if (!its->times_count)
        return true;
    its->texts = anypi_times_read(&its->plan, its->times, its->times_count, mixed, message, size);
    if (!its->texts)
        return false;
    its->how = anypi_usual_choosing(&its->plan);
    for (int i = 0; i < its->plan.cells_count; i++)
        any |= its->plan.cells[i].rounds > 0;
    if (!any)
        snprintf(message, size, "%s contains no times", its->times[0]);
    return any && anypi_choose_all(&its->plan, &its->how, &its->regions);
}

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
        anypi_times_data(&json, &its->plan, &its->how, its->times, its->texts, its->times_count);
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
    return anypi_text_end(file, &table);
}

/* Makes the page, with the data of records or of timing files. *table becomes the text of records
 * for a terminal, or NULL; both are to be freed with free(). *message receives the notes of joined
 * timing files, a line for each. On failure returns NULL and a message (one line). */
static char *make_page(const tool_options *options, char **table, char *message, size_t size)
{
    const int count = options->operands_count;
    sources its = { .times = calloc((size_t) count, sizeof *its.times) };
    anypi_run run = { 0 };
    char *page = NULL;
    *message = '\0';
    *table = NULL;
    bool good = its.times && read_records(&its, options->operands, count, message, size) &&
        read_times(&its, options->given[OPTION_MIXED], message, size);
    if (good && its.records_count) {
        good = anypi_run_make(&run, &its.records[0], its.records_count > 1 ? &its.records[1] : NULL,
                              its.times_count ? &its.plan : NULL);
        *table = good ? write_table(&run) : NULL;
        good = *table;
    }
    if (good)
        page = write_page(&its, its.records_count ? &run : NULL, message);
    if (!page && (good || !*message))
        snprintf(message, size, "no memory");
    anypi_run_free(&run);
    anypi_regions_free(&its.regions);
    anypi_times_free(its.texts, its.texts ? its.times_count : 0);
    anypi_plan_free(&its.plan);
    for (int i = 0; i < MOST_RECORDS; i++)
        anypi_record_free(&its.records[i]);
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
    .operands = "FILE...",
    .operands_minimum = 1,
    .operands_maximum = 4096,
    .accepts = OPTION_BIT(OPTION_OUTPUT) | OPTION_BIT(OPTION_MPICH) |
        OPTION_BIT(OPTION_MIXED),
    .description =
        "FILE is a record of `anyp run --record`. anyp report prints a table of the program's\n"
        "collectives: the seconds in which an average process works, and waits for late\n"
        "processes. The page contains the same with pictures. Two records are compared,\n"
        "before and after a change of the program. Timing files add what AnyP saves on that\n"
        "machine. With two records and timing files, the first sentence compares the expected\n"
        "saving with the real one.\n\n"
        "Or all FILEs are timing files of anyp-tune --save, joined as by anyp-tune --join.\n"
        "The page shows where AnyP is chosen, and how much faster it is than the MPI\n"
        "library's choice: maps of processes and sizes, curves with intervals, and errors of\n"
        "the closed forms.\n\n"
        "The page is one HTML file that needs no network. A browser with JavaScript draws it.\n",
    .examples = "  anyp report calls.json\n"
        "  anyp report before.json after.json machine.times\n"
        "  anyp report machine.times\n"
        "  anyp report -o machine.html node.times cluster.times\n",
    .run = run,
};
