/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_pictures.c - draws the pictures of a run's page: a bar for each kind of calls, and the
 * seconds of each collective by sizes.
 */
#include "report/markup.h"
#include "report/parts.h"
#include "report/run.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 880, KEY = 30 };

static const char working[] = "#2166ac", waiting[] = "#e0b95a", unknown[] = "#9a9a9a";

/* Draws the key of the colours, at the top of a picture. */
static void key(FILE *page, int left)
{
    const struct {
        const char *colour, *text;
        int x;
    } colours[] = {
        { working, "working, at most", 0 },
        { waiting, "waiting for late processes, at least", 140 },
        { unknown, "unknown: working or waiting", 390 },
    };
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        fprintf(page, "<rect x=\"%d\" y=\"7\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"17\">%s</text>\n", left + colours[i].x, colours[i].colour,
                left + colours[i].x + 17, colours[i].text);
}

static void box(FILE *page, double x, double y, double width, double height, const char *colour)
{
    if (width > 0 && height > 0)
        fprintf(page, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                x, y, width, height, colour);
}

/* ---- kinds of calls ---- */

enum { NAMES = 340, RIGHT = 90, BAR = 18, THIN = 13, GAP = 8, MOST_BARS = 16 };

/* Draws one run's bar: working, then waiting, with the seconds behind. */
static void bar(FILE *page, const anypi_run_time *its, double scale, int y, int height)
{
    const double work = anypi_run_most_work(its);
    if (!its->calls)
        return;
    box(page, NAMES, y, scale * work, height, its->work >= 0 ? working : unknown);
    box(page, NAMES + scale * work, y, scale * (its->seconds - work), height, waiting);
    fprintf(page, "<text x=\"%.1f\" y=\"%d\">%s</text>", NAMES + scale * its->seconds + 6,
            y + height - 4 + (height == THIN), anypi_markup_time(its->seconds).text);
}

/* Writes "20.0 s, of which 8.00 s working". */
static void describe(FILE *page, const anypi_run_time *its)
{
    fprintf(page, "%s", its->calls ? anypi_markup_time(its->seconds).text : "no such calls");
    if (its->calls && its->work >= 0)
        fprintf(page, ", of which at most %s working", anypi_markup_time(its->work).text);
}

void anypi_run_bars(FILE *page, const anypi_run *run)
{
    const int count = run->count < MOST_BARS ? run->count : MOST_BARS;
    const int height = run->after ? 2 * THIN + 1 : BAR, row = height + GAP;
    const double most = fmax(run->lines[0].before.seconds, run->lines[0].after.seconds);
    const double scale = most > 0 ? (WIDTH - NAMES - RIGHT) / most : 0;
    fprintf(page, "<h2>Kinds of calls</h2>\n");
    if (run->after)
        fprintf(page, "<p class=\"note\">Upper bar: first run. Lower bar: second run.</p>\n");
    if (count < run->count)
        fprintf(page, "<p class=\"note\">The %d longest of %d kinds of calls.</p>\n", count,
                run->count);
    fprintf(page, "<div class=\"picture\">");
    anypi_picture_begin(page, "bars", WIDTH, KEY + row * count,
                        "seconds of each kind of calls, working and waiting");
    key(page, NAMES - 120);
    for (int i = 0; i < count; i++) {
        const anypi_run_line *line = &run->lines[i];
        const int y = KEY + row * i;
        char bytes[170] = "";
        if (line->calls->collective != ANYP_BARRIER)
            snprintf(bytes, sizeof bytes, ", %s", anypi_run_bytes(line).text);
        fprintf(page, "<g><title>");
        anypi_markup_text(page, anypi_run_name(run, line).text);
        fprintf(page, "%s: ", bytes);
        describe(page, &line->before);
        if (run->after) {
            fprintf(page, "; second run: ");
            describe(page, &line->after);
        }
        fprintf(page, "</title><text x=\"%d\" y=\"%d\" text-anchor=\"end\">", NAMES - 8,
                y + height / 2 + 5);
        anypi_markup_text(page, anypi_run_name(run, line).text);
        fprintf(page, "%s</text>", bytes);
        bar(page, &line->before, scale, y, run->after ? THIN : BAR);
        if (run->after)
            bar(page, &line->after, scale, y + THIN + 1, THIN);
        fprintf(page, "</g>\n");
    }
    fprintf(page, "</svg></div>\n");
}

/* ---- sizes ---- */

enum { POWERS = 48, LEFT = 200, HIGHEST = 130, LABEL = 22, BOTTOM = 40 };

/* The seconds of a collective in calls of each power of two of bytes. */
typedef struct size_row {
    double work[POWERS], unknown[POWERS], all[POWERS], most, seconds;
} size_row;

static int power_of(const anypi_calls *calls)
{
    const double bytes = anypi_calls_bytes(calls);
    return bytes < 1 ? 0 : (int) fmin(log2(bytes), POWERS - 1);
}

/* Returns the sizes of the first run. A barrier has no sizes. */
static size_row row_of(const anypi_run *run, int collective)
{
    size_row row = { .most = 0 };
    for (int i = 0; i < run->count; i++) {
        const anypi_run_time *its = &run->lines[i].before;
        if (!its->calls || its->calls->collective != collective || collective == ANYP_BARRIER)
            continue;
        const int power = power_of(its->calls);
        row.all[power] += its->seconds;
        if (its->work >= 0)
            row.work[power] += its->work;
        else
            row.unknown[power] += its->seconds;
        row.most = fmax(row.most, row.all[power]);
        row.seconds += its->seconds;
    }
    return row;
}

/* The axis of sizes, which all collectives share. */
typedef struct size_axis {
    int first, last;
    double step, scale;         /* pixels of a power, and of a second */
} size_axis;

static void size_bars(FILE *page, const size_row *row, const size_axis *axis, double base)
{
    for (int power = axis->first; power <= axis->last; power++) {
        const double x = LEFT + axis->step * (power - axis->first), width = axis->step - 3;
        const double work = axis->scale * row->work[power];
        const double all = axis->scale * row->all[power];
        const double dark = work + axis->scale * row->unknown[power];
        if (row->all[power] <= 0)
            continue;
        fprintf(page, "<g><title>from %s: %s, of which at most %s working",
                anypi_markup_bytes(INT64_C(1) << power).text,
                anypi_markup_time(row->all[power]).text, anypi_markup_time(row->work[power]).text);
        if (row->unknown[power] > 0)
            fprintf(page, ", and %s unknown", anypi_markup_time(row->unknown[power]).text);
        fprintf(page, "</title>");
        box(page, x, base - work, width, work, working);
        box(page, x, base - dark, width, dark - work, unknown);
        box(page, x, base - all, width, all - dark, waiting);
        /* narrow bars have no room for more */
        if (axis->step >= 50 || row->all[power] >= row->most)
            fprintf(page, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\">%s"
                    "</text>", x + width / 2, base - all - 4,
                    anypi_markup_tick(row->all[power]).text);
        fprintf(page, "</g>\n");
    }
}

void anypi_run_sizes(FILE *page, const anypi_run *run)
{
    size_axis axis = { .first = POWERS };
    int shown[ANYPI_RECORDED], count = 0;
    double most = 0, height = KEY + BOTTOM;
    for (int i = 0; i < ANYPI_RECORDED; i++) {
        const size_row row = row_of(run, i);
        most = fmax(most, row.most);
        if (row.seconds > 0)
            shown[count++] = i;
        for (int power = 0; power < POWERS; power++)
            if (row.all[power] > 0) {
                axis.first = power < axis.first ? power : axis.first;
                axis.last = power > axis.last ? power : axis.last;
            }
    }
    if (!count)
        return;
    axis.step = fmin(60, (double) (WIDTH - LEFT - 20) / (axis.last - axis.first + 1));
    axis.scale = HIGHEST / most;
    for (int i = 0; i < count; i++)
        height += axis.scale * row_of(run, shown[i]).most + LABEL;
    const double right = LEFT + axis.step * (axis.last - axis.first + 1);
    double base = KEY;
    fprintf(page, "<h2>Sizes of calls</h2>\n<p class=\"note\">Seconds of each collective%s, by "
            "the bytes of its calls. Each power of two has a bar. All bars have the same "
            "scale.</p>\n<div class=\"picture\">", run->after ? " in the first run" : "");
    anypi_picture_begin(page, "sizes", WIDTH, height,
                        "seconds of each collective by the bytes of its calls");
    key(page, LEFT);
    for (int i = 0; i < count; i++) {
        const size_row row = row_of(run, shown[i]);
        base += axis.scale * row.most + LABEL;
        fprintf(page, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>"
                "<path d=\"M%d,%.1fH%.1f\" stroke=\"#555\"/>\n", LEFT - 8, base - 2,
                anypi_recorded_name(shown[i]), LEFT, base, right);
        size_bars(page, &row, &axis, base);
    }
    const int every = axis.step >= 44 ? 1 : axis.step >= 22 ? 2 : 4;
    for (int power = axis.first; power <= axis.last; power += every)
        fprintf(page, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\">%s"
                "</text>\n", LEFT + axis.step * (power - axis.first + 0.5) - 1.5, base + 15,
                anypi_markup_bytes(INT64_C(1) << power).text);
    fprintf(page, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">bytes of a call</text>"
            "</svg></div>\n", (LEFT + right) / 2, base + 32);
}
