/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include "tuner/noise.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 56, HEIGHT = 34, TOP = 30, LEAST_WIDTH = 720, TIPS = 4, MAX_NAMED = 64 };

/* How fields look. The first row of this difference whose limit is not exceeded applies. */
typedef struct look {
    anypi_difference difference;
    double limit;               /* of the gain, or of its inverse */
    const char *fill, *text, *meaning;
} look;
static const look looks[] = {
    { ANYPI_IS_FASTER, 1.1, "#dcebf7", "#222", "AnyP up to 1.1 times as fast" },
    { ANYPI_IS_FASTER, 1.25, "#b3d2ea", "#222", "AnyP 1.1 to 1.25" },
    { ANYPI_IS_FASTER, 1.5, "#7fb5dc", "#222", "AnyP 1.25 to 1.5" },
    { ANYPI_IS_FASTER, 2, "#57a0d3", "#111", "AnyP 1.5 to 2" },
    { ANYPI_IS_FASTER, 4, "#2171b5", "#fff", "AnyP 2 to 4" },
    { ANYPI_IS_FASTER, INFINITY, "#08306b", "#fff", "AnyP more than 4" },
    { ANYPI_IS_OWN, INFINITY, "#dccbe6", "#222", "another algorithm of the MPI library is faster" },
    { ANYPI_IS_HELD, INFINITY, "#dcebd3", "#222", "AnyP is faster, but not chosen" },
    { ANYPI_IS_EVEN, INFINITY, "#fff", "#444", "no significant difference" },
    { ANYPI_IS_SLOWER, 1.25, "#fde0bd", "#222", "AnyP is up to 1.25 times slower" },
    { ANYPI_IS_SLOWER, INFINITY, "#f5a34c", "#222", "AnyP is more than 1.25 times slower" },
    { ANYPI_IS_ALONE, INFINITY, "#f1f1f1", "#222", "nothing to compare with" },
};
enum { LOOKS = sizeof looks / sizeof looks[0], OWN_LOOK = 6 };

/* Sizes that share a column; each row has at most one of them. (If each rank has a block, the
 * smallest size depends on the number of processes.) */
typedef struct column {
    int64_t least, most;
} column;

typedef struct map {
    anypi_report *report;
    const anypi_cell_group *group;
    int number;
    column *columns;
    int columns_count, left, width;
    int key_x, key_y, key_next;         /* of the legend */
    FILE *body;
    bool library;                       /* the library keeps its choice somewhere */
    bool used[LOOKS];
    const anyp_algorithm *named[MAX_NAMED];    /* the algorithms with a letter in the map */
    int named_count;
} map;

/* Does a row contain both this size and one in the column? */
static bool is_taken(const anypi_cell_group *group, const column *c, int64_t bytes)
{
    for (int i = 0, count; i < group->count; i += count) {
        bool has = false, other = false;
        count = anypi_group_row(group, i);
        for (int k = i; k < i + count; k++) {
            has |= group->cells[k]->bytes >= c->least && group->cells[k]->bytes <= c->most;
            other |= group->cells[k]->bytes == bytes;
        }
        if (has && other)
            return true;
    }
    return false;
}

/* Makes the columns, ascending. */
static void make_columns(map *m)
{
    const anypi_cell_group *group = m->group;
    m->columns = calloc((size_t) group->count, sizeof *m->columns);
    for (int64_t above = -1; m->columns;) {
        int64_t next = INT64_MAX;
        for (int i = 0; i < group->count; i++)
            if (group->cells[i]->bytes > above && group->cells[i]->bytes < next)
                next = group->cells[i]->bytes;
        if (next == INT64_MAX)
            break;
        column *last = m->columns_count ? &m->columns[m->columns_count - 1] : NULL;
        if (last && next / 2 < last->least && !is_taken(group, last, next))
            last->most = next;
        else
            m->columns[m->columns_count++] = (column) { next, next };
        above = next;
    }
}

static int look_of(const anypi_finding *finding)
{
    int i = 0;
    const double gain = finding->difference == ANYPI_IS_SLOWER ? 1 / finding->gain : finding->gain;
    while (i < LOOKS - 1 && (looks[i].difference != finding->difference || gain > looks[i].limit))
        i++;
    return i;
}

/* Sets the letter under the number, which names the chosen algorithm. */
static void letter_of(map *m, const anypi_cell *cell, char letter[8])
{
    const anypi_plan *plan = m->report->plan;
    if (!anypi_is_anyp(plan, cell, cell->choice)) {
        snprintf(letter, 8, "%s", cell->choice ? "own" : "lib");
        m->library |= !cell->choice;
        return;
    }
    const anypi_candidate *choice = anypi_candidate_of(plan, cell, cell->choice);
    anypi_mark_letter(choice->algorithm, letter);
    int i = 0;
    while (i < m->named_count && m->named[i] != choice->algorithm)
        i++;
    if (i == m->named_count && i < MAX_NAMED)
        m->named[m->named_count++] = choice->algorithm;
}

static void tip_line(FILE *page, const anypi_plan *plan, const anypi_cell *cell, int c)
{
    fprintf(page, "\n%s  ", anypi_markup_time(anypi_time(cell, c)).text);
    const anypi_candidate *one = anypi_candidate_of(plan, cell, c);
    anypi_markup_text(page, c ? anypi_candidate_text(one).text : "MPI library's choice");
    if (c == cell->choice)
        fprintf(page, "  (chosen)");
}

/* Writes the library's choice, the choice, and the fastest candidate. */
static void tip(FILE *page, const anypi_plan *plan, const anypi_cell *cell)
{
    double above = 0;
    fprintf(page, "<title>%s, %s, %d round%s", anypi_procs_text(cell->p, cell->nodes).text,
            anypi_markup_bytes(cell->bytes).text, cell->rounds, cell->rounds == 1 ? "" : "s");
    if (anypi_time(cell, 0) < INFINITY)
        tip_line(page, plan, cell, 0);
    if (cell->choice)
        tip_line(page, plan, cell, cell->choice);
    for (int i = 0; i < TIPS; i++) {
        int next = 0;
        for (int c = 1; c < cell->candidates; c++)
            if (cell->trials[c].count && anypi_time(cell, c) > above &&
                (!next || anypi_time(cell, c) < anypi_time(cell, next)))
                next = c;
        if (!next)
            break;
        above = anypi_time(cell, next);
        if (next != cell->choice)
            tip_line(page, plan, cell, next);
    }
    fprintf(page, "</title>");
}

/* Draws a rectangle with this look, hatched if nothing is significant. */
static void box(map *m, const look *l, int x, int y, int width, int height)
{
    char even[32];
    snprintf(even, sizeof even, "url(#even-%d)", m->number);
    for (int layer = 0; layer < 1 + (l->difference == ANYPI_IS_EVEN); layer++)
        fprintf(m->body, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                "stroke=\"#999\" stroke-width=\"0.5\"/>", x, y, width, height,
                layer ? even : l->fill);
}

static void field(map *m, const anypi_cell *cell, int x, int y)
{
    FILE *page = m->body;
    const anypi_finding finding = anypi_finding_of(m->report, cell);
    const int number = look_of(&finding);
    const look *l = &looks[number];
    anypi_number shown = { "" };
    char letter[8];
    m->used[number] = true;
    letter_of(m, cell, letter);
    if (finding.difference != ANYPI_IS_ALONE)
        shown = anypi_markup_ratio(finding.gain);
    else if (finding.candidate > 0)
        shown = anypi_markup_time(anypi_time(cell, finding.candidate));
    fprintf(page, "<g>");
    tip(page, m->report->plan, cell);
    box(m, l, x, y, FIELD - 2, HEIGHT - 2);
    fprintf(page, "<text x=\"%d\" y=\"%d\" fill=\"%s\" text-anchor=\"middle\"%s%s%s>%s</text><text "
            "x=\"%d\" y=\"%d\" fill=\"%s\" text-anchor=\"middle\" font-size=\"10\">%s</text></g>\n",
            x + FIELD / 2 - 1, y + 14, l->text,
            finding.difference == ANYPI_IS_FASTER ? " font-weight=\"bold\"" : "",
            l->difference == ANYPI_IS_EVEN
            ? " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"" : "",
            finding.difference == ANYPI_IS_ALONE ? " font-size=\"10\"" : "", shown.text,
            x + FIELD / 2 - 1, y + 27, l->text, letter);
}

static void row(map *m, int first, int count, int y)
{
    const anypi_cell *const *cells = &m->group->cells[first];
    fprintf(m->body, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", m->left - 8,
            y + HEIGHT / 2 + 3, anypi_procs_text(cells[0]->p, cells[0]->nodes).text);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < m->columns_count; k++)
            if (cells[i]->bytes >= m->columns[k].least && cells[i]->bytes <= m->columns[k].most)
                field(m, cells[i], m->left + k * FIELD, y);
}

/* Moves to the place of the next key, whose text has `length` characters. */
static void place_key(map *m, int length)
{
    m->key_x = m->key_next;
    if (m->key_x > m->left && m->key_x + 24 + 6 * length > m->width) {
        m->key_x = m->left;
        m->key_y += 18;
    }
    m->key_next = m->key_x + 38 + 6 * length;
}

static void letter_key(map *m, const char *letter, const char *meaning)
{
    place_key(m, (int) (strlen(letter) + strlen(meaning)) - 2);
    fprintf(m->body, "<text x=\"%d\" y=\"%d\"><tspan font-weight=\"bold\">%s</tspan> %s</text>\n",
            m->key_x, m->key_y + 10, letter, meaning);
}

static void line_of_text(map *m, const char *text)
{
    fprintf(m->body, "<text x=\"%d\" y=\"%d\" fill=\"#555\">%s</text>\n", m->left, m->key_y + 10,
            text);
    m->key_y += 20;
    m->key_next = m->left;
}

/* Writes below the map what the numbers, looks and letters in it mean. */
static void legend(map *m)
{
    line_of_text(m, "Number: speed-up of the chosen algorithm (lib: of AnyP's best) over the MPI "
                 "library's choice");
    for (int i = 0; i < LOOKS; i++) {
        if (!m->used[i])
            continue;
        place_key(m, (int) strlen(looks[i].meaning));
        box(m, &looks[i], m->key_x, m->key_y, 16, 12);
        fprintf(m->body, "<text x=\"%d\" y=\"%d\">%s</text>\n", m->key_x + 22, m->key_y + 10,
                looks[i].meaning);
    }
    m->key_next = m->left;
    m->key_y += 20;
    for (int i = 0; i < m->named_count; i++) {
        char letter[8];
        anypi_mark_letter(m->named[i], letter);
        letter_key(m, letter, m->named[i]->name);
    }
    if (m->library)
        letter_key(m, "lib", "the MPI library's choice is kept");
    if (m->used[OWN_LOOK])
        letter_key(m, "own", "another algorithm of the MPI library");
    m->key_y += 24;
}

void anypi_map_write(anypi_report *report, const anypi_cell_group *group, int number)
{
    map m = { .report = report, .group = group, .number = number };
    char id[32], name[128], label[192], *body = NULL;
    size_t widest = 0, size;
    for (int i = 0; i < group->count; i += anypi_group_row(group, i)) {
        const anypi_cell *cell = group->cells[i];
        const size_t length = strlen(anypi_procs_text(cell->p, cell->nodes).text);
        widest = length > widest ? length : widest;
    }
    make_columns(&m);
    m.body = m.columns ? open_memstream(&body, &size) : NULL;
    if (!m.body) {
        report->failed = true;
        free(m.columns);
        return;
    }
    m.left = 20 + 7 * (int) (widest < 40 ? widest : 40);
    m.width = m.left + m.columns_count * FIELD + 4;
    m.width = m.width > LEAST_WIDTH ? m.width : LEAST_WIDTH;
    fprintf(m.body, "<defs><pattern id=\"even-%d\" width=\"7\" height=\"7\" "
            "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"1.4\" "
            "height=\"7\" fill=\"#ccc\"/></pattern></defs>\n", number);
    for (int i = 0; i < m.columns_count; i++)
        fprintf(m.body, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" "
                "font-size=\"11\">%s%s</text>\n", m.left + i * FIELD + FIELD / 2 - 1, TOP - 8,
                m.columns[i].most > m.columns[i].least ? "\xe2\x89\xa5 " : "",
                anypi_markup_bytes(m.columns[i].least).text);
    int y = TOP;
    for (int i = 0, count; i < group->count; i += count, y += HEIGHT) {
        count = anypi_group_row(group, i);
        row(&m, i, count, y);
    }
    m.key_x = m.key_next = m.left;
    m.key_y = y + 10;
    legend(&m);
    snprintf(id, sizeof id, "map-%d", number);
    anypi_group_name(report->plan, group, name, sizeof name);
    snprintf(label, sizeof label, "%s: processes against bytes of the vector", name);
    anypi_picture_begin(report->page, id, m.width, m.key_y, label);
    report->failed |= ferror(m.body) | fclose(m.body);
    fprintf(report->page, "%s</svg>\n", body);
    free(body);
    free(m.columns);
}
