/* SPDX-License-Identifier: BSD-3-Clause
 *
 * draw.c - replays the set to find the messages and their times, and then draws them.
 */
#include "tools/draw.h"

#include "analysis/replay.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/shape.h"
#include "schedule/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measures, in pixels. */
enum {
    LEFT = 64,                  /* room for the ranks' names */
    TOP = 64,                   /* room for the title and the times */
    COLUMN = 84, ROW = 32,      /* a unit of time, and a rank */
    WIDE = 168,                 /* a unit of time with many messages of a rank */
    CROWD = 3,                  /* from this number on, arrows have no text */
    THICK = 7,                  /* of the vector at an arrow's head */
    LEGEND = 64, MARGIN = 24,
    STRIP = 24,                 /* names of switches, and of each height above them */
    LINE = 18,                  /* of the legend */
    LETTER = 9                  /* of the title */
};

/* A piece of a message. */
typedef struct arrow {
    int from, to;               /* ranks */
    int start;                  /* time; it arrives one unit later */
    int first, end;             /* blocks, modulo their number; end > first */
    int piece;
    int turn;                   /* its index among the messages of the sender at that time */
    bool reduces;               /* the receiver still reduces */
} arrow;

/* A rank. */
typedef struct line {
    int row;                    /* the rows of a node are adjacent */
    int ready, moved;           /* entry into its round; arrival of its messages */
    int last_reducing;          /* its last round that reduces, or -1 */
} line;

typedef struct drawing {
    const anyp_schedule *set;
    const anyp_call *call;
    FILE *file;
    arrow *arrows;              /* in the order of start, sender, receiver, piece */
    int arrows_count, arrows_capacity;
    line *lines;                /* per rank */
    int time;                   /* of the last arrival */
    bool by_block;              /* colours distinguish blocks */
    int column;                 /* pixels of a unit of time */
} drawing;

/* ---- replay ---- */

static anyp_status moved(void *state, const anypi_message *message)
{
    drawing *d = state;
    if (d->arrows_count == DRAW_MAX_MESSAGES)
        return ANYP_ERR_ARGUMENT;
    arrow *arrows = anypi_grow(d->arrows, &d->arrows_capacity, d->arrows_count, sizeof *arrows);
    if (!arrows)
        return ANYP_ERR_MEMORY;
    d->arrows = arrows;
    const anyp_step *step = &d->set[message->to].steps[message->to_step];
    line *from = &d->lines[message->from], *to = &d->lines[message->to];
    const int start = anypi_max(from->ready, to->ready);
    d->arrows[d->arrows_count++] = (arrow) {
        .from = message->from, .to = message->to, .start = start, .first = step->to.first,
        .end = step->to.end, .piece = message->piece,
        .reduces = message->to_round <= to->last_reducing };
    from->moved = anypi_max(from->moved, start + 1);
    to->moved = anypi_max(to->moved, start + 1);
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    drawing *d = state;
    (void) round;
    d->lines[rank].ready = anypi_max(d->lines[rank].ready, d->lines[rank].moved);
    d->time = anypi_max(d->time, d->lines[rank].ready);
    return ANYP_SUCCESS;
}

static int last_reducing(const anyp_schedule *schedule)
{
    for (int round = schedule->rounds - 1; round >= 0; round--)
        for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++)
            if (schedule->steps[i].kind == ANYP_REDUCE_LOCAL)
                return round;
    return -1;
}

static int by_time(const void *left, const void *right)
{
    const arrow *a = left, *b = right;
    if (a->start != b->start)
        return a->start - b->start;
    if (a->from != b->from)
        return a->from - b->from;
    return a->to != b->to ? a->to - b->to : a->piece - b->piece;
}

static bool leave_together(const arrow *a, const arrow *b)
{
    return a->from == b->from && a->start == b->start;
}

/* Numbers the messages that a rank sends at a time, beginning with the one to the next rank. So
 * ranks that do the same have the same numbers. Columns are wide if many messages leave at a time,
 * or if most messages leave together with another one: their texts would overlap. */
static void number_messages(drawing *d)
{
    int together = 0;           /* pieces of messages that leave with another message */
    d->column = COLUMN;
    for (int i = 0, end; i < d->arrows_count; i = end) {
        int messages = 0, behind = 0;
        for (end = i; end < d->arrows_count && leave_together(&d->arrows[i], &d->arrows[end]);
             end++) {
            messages += d->arrows[end].piece == 0;
            behind += d->arrows[end].piece == 0 && d->arrows[end].to < d->arrows[end].from;
        }
        for (int k = i, turn = 0; k < end; k++) {
            turn += k > i && d->arrows[k].piece == 0;
            d->arrows[k].turn = (turn - behind + messages) % messages;
        }
        together += messages > 1 ? end - i : 0;
        if (messages >= CROWD)
            d->column = WIDE;
    }
    if (together > d->arrows_count / 2)
        d->column = WIDE;
}

static anyp_status replay(drawing *d)
{
    const anypi_visitor visitor = { d, moved, finished };
    char reason[1];
    const anyp_shape *nodes = d->call->nodes;
    for (int row = 0; row < d->call->p; row++) {
        const int rank = nodes && nodes->rank ? nodes->rank[row] : row;
        d->lines[rank] = (line) { .row = row, .last_reducing = last_reducing(&d->set[rank]) };
    }
    const anyp_status status = anypi_replay(d->set, d->call->p, &visitor, reason, sizeof reason);
    if (d->arrows_count > 0)
        qsort(d->arrows, (size_t) d->arrows_count, sizeof *d->arrows, by_time);
    number_messages(d);
    d->by_block = d->set[0].blocks > 1;
    for (int i = 0; i < d->arrows_count; i++)
        d->by_block &= d->arrows[i].end - d->arrows[i].first == 1;
    return status;
}

/* ---- drawing ---- */

static int x_of(const drawing *d, int time)
{
    return LEFT + time * d->column;
}

static int y_of(const drawing *d, int rank)
{
    return TOP + d->lines[rank].row * ROW;
}

/* Returns the width of the vector at an arrow's head. */
static int vector_width(const drawing *d)
{
    return d->column * 2 / 7;
}

static int x_of_vector(const drawing *d, const arrow *a)
{
    return x_of(d, a->start + 1) - vector_width(d) - 4;
}

static int y_of_vector(const drawing *d, const arrow *a)
{
    return y_of(d, a->to) + 5;
}

/* Chooses the colour of a message: blue if it is reduced, orange if it is forwarded, and lighter
 * for each additional message of a rank at a time. With colours by block, hues of neighbouring
 * blocks are far apart, and every second block is darker. */
static void colour(const drawing *d, const arrow *a, char *text, size_t size)
{
    const int block = a->first % d->set[0].blocks;
    if (d->by_block)
        snprintf(text, size, "hsl(%d,70%%,%d%%)", block * 137 % 360, block % 2 ? 32 : 42);
    else
        snprintf(text, size, "hsl(%s,%d%%)", a->reduces ? "206,87%" : "24,98%",
                 (a->reduces ? 34 : 39) + a->turn % 4 * 11);
}

/* Returns a block's name: a letter, or a number if there are more than 26 blocks. */
static const char *block_name(const drawing *d, int block, char name[16])
{
    if (d->set[0].blocks <= 26)
        snprintf(name, 16, "%c", 'A' + block);
    else
        snprintf(name, 16, "%d", block);
    return name;
}

/* Writes the blocks of a piece; none in a barrier. Returns the text's length. */
static size_t blocks_text(const drawing *d, const arrow *a, char *text, size_t size)
{
    const int n = d->set[0].blocks, length = a->end - a->first;
    char first[16], last[16];
    block_name(d, a->first % n, first);
    block_name(d, (a->end - 1) % n, last);
    if (length == 0)
        return (size_t) snprintf(text, size, "%s", "");
    if (length > n)
        return (size_t) snprintf(text, size, "%d vectors", length / n);
    if (length == n)
        return (size_t) snprintf(text, size, "all");
    if (length == 1)
        return (size_t) snprintf(text, size, "%s", first);
    return (size_t) snprintf(text, size, "%s%s%s", first, length == 2 && n <= 26 ? "" : "-", last);
}

/* Draws the blocks of a piece in the vector at the receiver; blocks that wrap around are two
 * parts. */
static void draw_parts(const drawing *d, const arrow *a, const char *fill)
{
    const int n = d->set[0].blocks, x = x_of_vector(d, a), y = y_of_vector(d, a);
    const int length = anypi_max(1, anypi_min(a->end - a->first, n));
    const int first = length == n ? 0 : a->first % n;
    const int parts[2][2] = { { first, anypi_min(first + length, n) },
                              { 0, first + length - n } };
    const double block = (double) vector_width(d) / n;
    for (int i = 0; i < 2; i++)
        if (parts[i][1] > parts[i][0])
            fprintf(d->file, "<rect class=\"part\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" "
                    "height=\"%d\" fill=\"%s\"/>\n", x + block * parts[i][0], y,
                    block * (parts[i][1] - parts[i][0]), THICK, fill);
}

/* Draws the arrow of a message, whose first piece is `a`; `text` names its blocks, if any. */
static void draw_arrow(const drawing *d, const arrow *a, const char *text)
{
    char stroke[32];
    const int x1 = x_of(d, a->start) + 4, x2 = x_of(d, a->start + 1) - 4;
    const int y1 = y_of(d, a->from), y2 = y_of(d, a->to);
    const double degrees = atan2(y2 - y1, x2 - x1) * 57.29577951308232;
    colour(d, a, stroke, sizeof stroke);
    fprintf(d->file, "<g class=\"message %s\" data-from=\"%d\" data-to=\"%d\" data-start=\"%d\" "
            "stroke=\"%s\" fill=\"%s\">\n<title>rank %d to rank %d, time %d%s%s</title>\n"
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n<path class=\"head\" "
            "d=\"M0 0L-8 -3.2L-8 3.2Z\" transform=\"translate(%d %d) rotate(%.1f)\"/>\n</g>\n",
            a->reduces ? "reduces" : "passes", a->from, a->to, a->start, stroke, stroke, a->from,
            a->to, a->start + 1, *text ? ": " : "", text, x1, y1, x2, y2, x2, y2, degrees);
}

/* Draws the blocks of a message: as text at its tail and as bars at its head. If other messages
 * leave at the same point, the text is on the arrow (not in wide columns). */
static void draw_data(const drawing *d, const arrow *pieces, int count, bool alone,
                      const char *text)
{
    const int from = y_of(d, pieces->from), to = y_of(d, pieces->to);
    const int x = x_of(d, pieces->start) + 5;
    if (d->column == COLUMN && alone)
        fprintf(d->file, "<text class=\"blocks\" x=\"%d\" y=\"%d\">%s</text>\n", x,
                to > from ? from - 4 : from + 12, text);
    else if (d->column == COLUMN)
        fprintf(d->file, "<text class=\"blocks\" x=\"%d\" y=\"%d\">%s</text>\n",
                x + COLUMN / 4, from + (to - from) / 4 + 3, text);
    for (int i = 0; i < count; i++) {
        char fill[32];
        colour(d, &pieces[i], fill, sizeof fill);
        draw_parts(d, &pieces[i], fill);
    }
}

/* Draws first all arrows, so that none covers a text, then the vectors, then their blocks. */
static void draw_messages(const drawing *d)
{
    const int passes = anypi_has_no_data(d->call->collective) ? 1 : 3;
    for (int pass = 0; pass < passes; pass++) {
        for (int i = 0, count; i < d->arrows_count; i += count) {
            const arrow *a = &d->arrows[i];
            char text[128] = "";
            size_t used = 0;
            for (count = 0; count == 0 || (i + count < d->arrows_count && a[count].piece > 0);
                 count++) {
                if (used < sizeof text - 32) {
                    used += (size_t) snprintf(text + used, sizeof text - used, "%s",
                                              count > 0 ? "," : "");
                    used += blocks_text(d, &a[count], text + used, sizeof text - used);
                }
            }
            const bool alone = !(i > 0 && leave_together(a, a - 1)) &&
                !(i + count < d->arrows_count && leave_together(a, a + count));
            if (pass == 0)
                draw_arrow(d, a, text);
            else if (pass == 1)
                fprintf(d->file, "<rect class=\"vector\" x=\"%d\" y=\"%d\" width=\"%d\" "
                        "height=\"%d\"/>\n", x_of_vector(d, a), y_of_vector(d, a), vector_width(d),
                        THICK);
            else
                draw_data(d, a, count, alone, text);
        }
    }
}

static void draw_group(const drawing *d, int height, int group)
{
    static const char *const classes[] = { "node", "switch", "group" };
    const char *class = classes[anypi_min(height, 2)];
    const int row = anypi_shape_begin(d->call->nodes, height, group);
    const int rows = anypi_shape_begin(d->call->nodes, height, group + 1) - row;
    const int right = x_of(d, d->time) + 28 + height * STRIP;
    const int left = height > 0 ? right - STRIP + 4 : 4;
    const int y = TOP + row * ROW - ROW / 2 + 2, long_side = rows * ROW - 4;
    fprintf(d->file, "<rect class=\"%s\" data-%s=\"%d\" x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\" rx=\"6\"/>\n<text class=\"groupname\" transform=\"translate(%d %d) "
            "rotate(90)\">", class, class, group, left, y, right - left, long_side, right - 14,
            y + long_side / 2);
    if (rows > 1)
        fprintf(d->file, "%s ", class);
    fprintf(d->file, "%d</text>\n", group);
    if (height > 0 && row > 0)
        fprintf(d->file, "<line class=\"border\" x1=\"4\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
                "stroke-width=\"%d\"/>\n", y - 2, right, y - 2, height);
}

/* Draws a band behind the ranks of every node. Beside it are a band for its switch, one for its
 * group of switches, and so on, with lines between the ranks of different ones. */
static void draw_shape(const drawing *d)
{
    const anyp_shape *shape = d->call->nodes;
    for (int height = 0; shape; height++, shape = shape->above)
        for (int group = 0; group < shape->count; group++)
            draw_group(d, height, group);
}

static void draw_line(const drawing *d, int rank, int from, int to, bool out)
{
    if (from < to)
        fprintf(d->file, "<line class=\"%s\" data-rank=\"%d\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
                "y2=\"%d\"/>\n", out ? "out" : "rank", rank, x_of(d, from), y_of(d, rank),
                x_of(d, to), y_of(d, rank));
}

/* Draws the line of a rank. After the rank has sent data that only others reduce, it is out, until
 * it receives data that it does not reduce (or to the end). */
static void draw_rank(const drawing *d, int rank)
{
    const bool has_result = anypi_has_result(d->call, rank);
    int drawn = 0, end = 0;     /* ends of the drawn line and of the last message */
    bool gave = false;          /* at that end */
    for (int i = 0; i < d->arrows_count;) {
        const int start = d->arrows[i].start;
        bool sends = false, takes = false, reduces = false, gives = false;
        for (; i < d->arrows_count && d->arrows[i].start == start; i++) {
            const arrow *a = &d->arrows[i];
            sends |= a->from == rank;
            gives |= a->from == rank && a->reduces;
            takes |= a->to == rank;
            reduces |= a->to == rank && a->reduces;
        }
        if (!sends && !takes)
            continue;
        if (gave && takes && !reduces && !sends) {
            draw_line(d, rank, drawn, end, false);
            draw_line(d, rank, end, start + 1, true);
            drawn = start + 1;
        }
        end = start + 1;
        gave = gives && !takes;
    }
    draw_line(d, rank, drawn, end, false);
    if (has_result)
        fprintf(d->file, "<circle class=\"result\" data-rank=\"%d\" cx=\"%d\" cy=\"%d\" "
                "r=\"4\"/>\n", rank, x_of(d, end), y_of(d, rank));
    else if (!anypi_has_no_data(d->call->collective))
        draw_line(d, rank, end, d->time, true);
    fprintf(d->file, "<text class=\"name\" x=\"%d\" y=\"%d\">rank %d</text>\n", LEFT - 10,
            y_of(d, rank) + 4, rank);
}

/* The legend's distance from one kind to the next, and how many blocks it names at most. */
enum { KEY = 118, MAX_KEYS = 16 };

static void draw_legend(const drawing *d)
{
    static const char *const kinds[][2] = { { "#0b62a4", "is reduced" },
                                            { "#c65102", "is passed on" } };
    const int y = TOP + d->call->p * ROW + LINE, blocks = d->set[0].blocks;
    if (anypi_has_no_data(d->call->collective)) {
        fprintf(d->file, "<text x=\"%d\" y=\"%d\">time in %s; an arrow is a message without "
                "data; a rank's line ends where it leaves the barrier</text>\n", LEFT, y,
                d->column == COLUMN ? "messages" : "rounds");
        return;
    }
    fprintf(d->file, "<g class=\"legend\">\n<text x=\"%d\" y=\"%d\">time in %s; dashed: the "
            "rank has sent all its data; dot: it has its result</text>\n", LEFT, y,
            d->column == COLUMN ? "messages" : "rounds, bars: the blocks that arrive");
    for (int i = 0; i < 2 && !d->by_block; i++)
        fprintf(d->file, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + i * KEY, y + LINE - 11, kinds[i][0],
                LEFT + i * KEY + 18, y + LINE, kinds[i][1]);
    for (int i = 0; i < blocks && i < MAX_KEYS && d->by_block; i++) {
        char fill[32], text[16];
        const arrow key = { .first = i, .end = i + 1 };
        colour(d, &key, fill, sizeof fill);
        fprintf(d->file, "<rect class=\"key\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" "
                "fill=\"%s\"/><text x=\"%d\" y=\"%d\">", LEFT + i * KEY / 3, y + LINE - 11, fill,
                LEFT + i * KEY / 3 + 15, y + LINE);
        fprintf(d->file, "%s</text>\n", block_name(d, i, text));
    }
    fprintf(d->file, "</g>\n");
}

static void draw(const drawing *d, const char *title)
{
    const int p = d->call->p;
    const int keys = d->by_block ? anypi_min(d->set[0].blocks, MAX_KEYS) : 0;
    const int text = anypi_max(MARGIN + LETTER * (int) strlen(title), LEFT + (keys + 1) * KEY / 3);
    const int strips = d->call->nodes ? anypi_shape_length(d->call->nodes) - 1 : 0;
    const int width = anypi_max(x_of(d, d->time) + (d->call->nodes ? 2 : 1) * MARGIN +
                                strips * STRIP, anypi_max(700, text));
    const int height = TOP + p * ROW + LEGEND;
    fprintf(d->file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n"
            "<title id=\"title\">%s</title>\n"
            "<desc id=\"desc\">%d ranks from top to bottom, %d units of time from left to right; "
            "each arrow is a message.</desc>\n", width, height, width, height, title, p, d->time);
    fprintf(d->file, "<style>\n"
            "text { font: 12px sans-serif; fill: #222 } .heading { font-size: 15px }\n"
            ".name { text-anchor: end } .time { text-anchor: middle; fill: #555 }\n"
            ".blocks { font-size: 9px; stroke: #fff; stroke-width: 2; paint-order: stroke }\n"
            ".grid { stroke: #ddd } .rank { stroke: #777; stroke-width: 1.5 }\n"
            ".out { stroke: #aaa; stroke-width: 1.5; stroke-dasharray: 4 4 }\n"
            ".result { fill: #222 } .message line { stroke-width: 1.5 } .head { stroke: none }\n"
            ".vector { fill: #fff; stroke: #999; stroke-width: 0.6 } .part { stroke: none }\n"
            "%s</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text class=\"heading\" x=\"12\" y=\"22\">%s</text>\n", !d->call->nodes ? ""
            : ".node { fill: #eef2f6 } .switch { fill: #d6e0ea } .group { fill: #b9cadb }\n"
            ".border { stroke: #8fa3b5 } .groupname { text-anchor: middle; fill: #555 }\n", width,
            height, title);
    draw_shape(d);
    for (int time = 0; time <= d->time; time++) {
        fprintf(d->file, "<line class=\"grid\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
                x_of(d, time), TOP - 16, x_of(d, time), TOP + (p - 1) * ROW + 16);
        if (time > 0)
            fprintf(d->file, "<text class=\"time\" x=\"%d\" y=\"%d\">%d</text>\n",
                    x_of(d, time) - d->column / 2, TOP - 20, time);
    }
    for (int rank = 0; rank < p; rank++)
        draw_rank(d, rank);
    draw_messages(d);
    draw_legend(d);
    fprintf(d->file, "</svg>\n");
}

anyp_status anypi_draw(const anyp_schedule *set, const anyp_call *call, const char *title,
                       FILE *file)
{
    drawing d = { .set = set, .call = call, .file = file };
    d.lines = anypi_realloc(NULL, (size_t) call->p * sizeof *d.lines);
    const anyp_status status = d.lines ? replay(&d) : ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS)
        draw(&d, title);
    anypi_free(d.arrows);
    anypi_free(d.lines);
    return status;
}
