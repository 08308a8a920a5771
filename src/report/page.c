/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the page: head and style, what was measured where, and the other parts in their order.
 */
#include "report/report.h"

#include "tuner/node_shapes.h"
#include "tuner/timing_file.h"
#include "report/parts.h"
#include "schedule/collectives.h"
#include "select/jsonc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes what a file says about its run: the text of its origin, and each value of "run". */
static void write_origin(FILE *page, const char *file, const char *text, bool first)
{
    struct json_object *root = json_tokener_parse(text);
    struct json_object *run = anypi_json_member(root, "run", json_type_object);
    char *origin = anypi_times_origin(text);
    fprintf(page, "<details%s><summary>", first ? " open=\"open\"" : "");
    anypi_markup_text(page, file);
    fprintf(page, "</summary>\n<div class=\"origin\">");
    anypi_markup_text(page, origin && *origin ? origin : "This file does not say where it was "
                      "measured.");
    fprintf(page, "</div>\n");
    if (run && json_object_object_length(run)) {
        fprintf(page, "<table><tbody>\n");
        json_object_object_foreach(run, name, value) {
            const char *shown = value ? json_object_get_string(value) : NULL;
            fprintf(page, "<tr><th>");
            anypi_markup_text(page, name);
            fprintf(page, "</th><td class=\"text\">");
            anypi_markup_text(page, shown ? shown : "");
            fprintf(page, "</td></tr>\n");
        }
        fprintf(page, "</tbody></table>\n");
    }
    fprintf(page, "</details>\n");
    free(origin);
    json_object_put(root);
}

/* Writes the notes of the join (files that it left out, or accepted despite a difference), a line
 * for each. */
static void write_notes(FILE *page, const char *notes)
{
    if (*notes) {
        fprintf(page, "<div class=\"origin\">");
        anypi_markup_text(page, notes);
        fprintf(page, "</div>\n");
    }
}

/* Writes the curves: the largest p first, and open. Cells of a group come in the order of nodes,
 * then p. */
static void write_curves(anypi_report *report, const anypi_cell_group *group)
{
    FILE *page = report->page;
    int largest = 0;
    for (int i = 0; i < group->count; i++)
        if (group->cells[i]->p >= group->cells[largest]->p &&
            (!i || !anypi_cell_alike(group->cells[i], group->cells[largest])))
            largest = i;
    fprintf(page, "<h3>Times</h3>\n");
    if (anypi_has_no_data(group->collective)) {
        fprintf(page, "<p class=\"note\">A barrier has no sizes, so there are no curves. Point at "
                "a field of the map to see its times.</p>\n");
        return;
    }
    for (int others = 0; others < 2; others++)
        for (int i = 0, count; i < group->count; i += count) {
            count = anypi_group_row(group, i);
            if ((i == largest) == others)
                continue;
            fprintf(page, "<details%s><summary>%s</summary>\n<div class=\"picture\">",
                    others ? "" : " open=\"open\"",
                    anypi_procs_text(group->cells[i]->p, group->cells[i]->nodes).text);
            anypi_curve_write(report, &group->cells[i], count);
            fprintf(page, "</div></details>\n");
        }
}

static void write_groups(anypi_report *report, anypi_cell_group *group)
{
    FILE *page = report->page;
    int number = 0;
    group->next = 0;
    while (anypi_group_next(report->plan, group)) {
        char name[128];
        anypi_group_name(report->plan, group, name, sizeof name);
        fprintf(page, "<h2 id=\"group-%d\">%s</h2>\n<div class=\"picture\">", ++number, name);
        anypi_map_write(report, group, number);
        fprintf(page, "</div>\n");
        write_curves(report, group);
    }
}

static void write_page(anypi_report *report, anypi_cell_group *group, const char *const *files,
                       char *const *texts, int count, const char *notes)
{
    FILE *page = report->page;
    fprintf(page, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
            "<head>\n<meta charset=\"utf-8\"/>\n<title>AnyP on this machine</title>\n<style>\n"
            "%s</style>\n</head>\n<body>\n<h1>Is AnyP faster here?</h1>\n", anypi_page_style);
    anypi_summary_write(report, group);
    fprintf(page, "<h2>What was measured</h2>\n");
    write_notes(page, notes);
    for (int i = 0; i < count; i++)
        write_origin(page, files[i], texts[i], !i);
    fprintf(page, "<p class=\"note\">In the maps, a row is a number of processes, and a column a "
            "size of the whole vector. Point at a field to see its times. The curves show each "
            "algorithm with its best parameters at each size%s</p>\n",
            report->plan->exact ? "." : ". Points are medians. Bars are the 95 % intervals of the "
            "medians, or the range if there are fewer than 6 rounds.");
    write_groups(report, group);
    anypi_model_write(report, group);
    fprintf(page, "<p class=\"note\">Made by anyp report of AnyP %s.</p>\n</body>\n</html>\n",
            PACKAGE_VERSION);
}

char *anypi_report_page(const char *const *files, int count, bool mixed, char *message,
                        size_t size)
{
    anypi_plan plan = { .only_anyp = false };
    anypi_regions regions = { .list = NULL };
    anypi_cell_group group = { .cells = NULL };
    anypi_report report = { .plan = &plan };
    char notes[4096], *text = NULL;
    size_t length;
    char **texts = anypi_times_read(&plan, files, count, mixed, notes, sizeof notes);
    bool good = texts, any = false;
    snprintf(message, size, "%s", notes);
    for (int i = 0; i < plan.cells_count; i++)
        any |= plan.cells[i].rounds > 0;
    if (good && !any) {
        snprintf(message, size, "%s contains no times", files[0]);
        good = false;
    }
    if (good) {
        snprintf(message, size, "no memory");
        report.how = anypi_usual_choosing(&plan);
        group.cells = calloc((size_t) plan.cells_count, sizeof *group.cells);
        good = group.cells && anypi_choose_all(&plan, &report.how, &regions);
    }
    report.page = good ? open_memstream(&text, &length) : NULL;
    if (report.page) {
        write_page(&report, &group, files, texts, count, notes);
        good = !(report.failed | ferror(report.page) | fclose(report.page));
        if (good)
            snprintf(message, size, "%s", notes);
        else
            free(text);
    }
    free(group.cells);
    anypi_regions_free(&regions);
    anypi_times_free(texts, count);
    anypi_plan_free(&plan);
    return report.page && good ? text : NULL;
}
