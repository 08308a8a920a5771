/* SPDX-License-Identifier: BSD-3-Clause
 *
 * draw_svg.c - replays the set to find the messages and their times, and then draws them.
 */
#include "tools/draw_svg.h"

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
    COLUMN = 98, ROW = 32,      /* a unit of time, and a rank */
    WIDE = 168,                 /* a unit of time with many messages of a rank */
    CROWD = 3,                  /* from this number on, arrows have no text */
    GAP = 4,                    /* between an arrow and its times */
    TEXT = 18,                  /* room for the blocks' names in front of an arrow */
    BESIDE = 2, THICK = 7,      /* the vector at an arrow's head: distance, height */
    LEGEND = 64, MARGIN = 24,
    STRIP = 24,                 /* names of switches, and of each height above them */
    LINE = 18,                  /* of the legend */
    KEY = 118, MAX_KEYS = 16,   /* from one key of the legend to the next; how many blocks */
    LETTER = 9                  /* of the title */
};

/* Colours distinguish blocks, up to this number, or messages that are reduced from messages that
 * are forwarded, with a lighter shade for each additional message of a rank at a time. */
enum { COLOURS = 360, SHADES = 4 };

/* A piece of a message. */
typedef struct arrow {
    int from, to;               /* ranks */
    int start;                  /* time; it arrives one unit later */
    int first, end;             /* blocks, modulo their number; end > first */
    int piece;
    int colour;                 /* below COLOURS */
    bool reduces;               /* the receiver still reduces */
    bool alone;                 /* no other message leaves its sender at its start */
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
    bool dashed;                /* a part of a rank's line was dashed */
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

/* Shades the messages that a rank sends at a time in turn, beginning with the one to the next rank:
 * ranks that do the same have the same shades. Columns are wide if many messages leave at a time,
 * or if most messages leave together with another one: their texts would overlap. */
static void shade_messages(drawing *d)
{
    int together = 0;           /* pieces of messages that leave with another message */
    d->column = COLUMN;
    for (int i = 0, end; i < d->arrows_count; i = end) {
        int messages = 0, behind = 0;
        for (end = i; end < d->arrows_count && d->arrows[end].from == d->arrows[i].from &&
             d->arrows[end].start == d->arrows[i].start; end++) {
            messages += d->arrows[end].piece == 0;
            behind += d->arrows[end].piece == 0 && d->arrows[end].to < d->arrows[end].from;
        }
        for (int k = i, turn = 0; k < end; k++) {
            turn += k > i && d->arrows[k].piece == 0;
            d->arrows[k].colour = (turn - behind + messages) % messages % SHADES +
                (d->arrows[k].reduces ? 0 : SHADES);
            d->arrows[k].alone = messages == 1;
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
    shade_messages(d);
    d->by_block = d->set[0].blocks > 1;
    for (int i = 0; i < d->arrows_count; i++)
        d->by_block &= d->arrows[i].end - d->arrows[i].first == 1;
    for (int i = 0; i < d->arrows_count && d->by_block; i++)
        d->arrows[i].colour = d->arrows[i].first % d->set[0].blocks % COLOURS;
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

/* Writes a colour: by block, hues of neighbouring blocks are far apart, and every second block is
 * darker; otherwise, blue is reduced and orange is forwarded. */
static void colour_text(const drawing *d, int colour, char *text, size_t size)
{
    if (d->by_block)
        snprintf(text, size, "hsl(%d,70%%,%d%%)", colour * 137 % 360, colour % 2 ? 32 : 42);
    else
        snprintf(text, size, "hsl(%s,%d%%)", colour < SHADES ? "206,87%" : "24,98%",
                 (colour < SHADES ? 34 : 39) + colour % SHADES * 11);
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
    if (length > n)
        return (size_t) snprintf(text, size, "%d vectors", length / n);
    if (length == n)
        return (size_t) snprintf(text, size, "all");
    return (size_t) snprintf(text, size, "%s%s%s", length > 0 ? first : "",
                             length > 2 || (length == 2 && n > 26) ? "-" : "",
                             length > 1 ? last : "");
}

/* Writes the blocks of the message whose first piece is `a`. */
static void message_text(const drawing *d, const arrow *a, char *text, size_t size)
{
    size_t used = blocks_text(d, a, text, size);
    for (a++; a < d->arrows + d->arrows_count && a->piece > 0 && used < size - 32; a++) {
        used += (size_t) snprintf(text + used, size - used, ",");
        used += blocks_text(d, a, text + used, size - used);
    }
}

/* Draws the message whose first piece is `a`: a path of a line and a head. The stroke around the
 * head makes it 8 by 6.4 pixels large. Names of blocks stand in front of the arrow, and the vector
 * behind it on the receiver's line, so that neither covers an arrow. */
static void draw_arrow(const drawing *d, const arrow *a)
{
    const bool data = !anypi_has_no_data(d->call->collective);
    const int before = data && d->column == COLUMN ? TEXT : 0;
    const int behind = data ? vector_width(d) + BESIDE : 0;
    const int x = x_of(d, a->start) + GAP + before, y = y_of(d, a->from);
    const int dx = d->column - 2 * GAP - before - behind, dy = y_of(d, a->to) - y;
    char text[128];
    message_text(d, a, text, sizeof text);
    fprintf(d->file, "<path d=\"M0 0H%.1fm-2 0l-5.3 -2.1v4.2z\" transform=\"translate(%d %d) "
            "rotate(%.2f)\"><title>rank %d to rank %d, time %d%s%s</title></path>",
            hypot(dx, dy), x, y, atan2(dy, dx) * 57.29577951308232, a->from, a->to, a->start + 1,
            *text ? ": " : "", text);
}

/* Writes the blocks of a piece in the vector at the receiver as thick lines, parts of a path;
 * blocks that wrap around are two. */
static void draw_parts(const drawing *d, const arrow *a)
{
    const int n = d->set[0].blocks, length = anypi_max(1, anypi_min(a->end - a->first, n));
    const int first = length == n ? 0 : a->first % n;
    const int ends[2][2] = { { first, anypi_min(first + length, n) }, { 0, first + length - n } };
    const double x = x_of(d, a->start + 1) - GAP - vector_width(d);
    for (int i = 0; i < 2; i++)
        if (ends[i][1] > ends[i][0])
            fprintf(d->file, "M%.2f %.1fH%.2f", x + (double) vector_width(d) / n * ends[i][0],
                    (double) y_of(d, a->to),
                    x + (double) vector_width(d) / n * ends[i][1]);
}

/* Draws the arrows of a colour or, of the vectors at their heads, the parts of this colour. */
static void draw_colour(const drawing *d, int colour, bool arrows)
{
    char text[32];
    bool any = false;
    colour_text(d, colour, text, sizeof text);
    for (int i = 0; i < d->arrows_count; i++) {
        const arrow *a = &d->arrows[i];
        if (a->colour != colour || (arrows && a->piece > 0))
            continue;
        if (!any && arrows)
            fprintf(d->file, "<g class=\"message\" stroke=\"%s\" fill=\"%s\">", text, text);
        else if (!any)
            fprintf(d->file, "<path class=\"part\" stroke=\"%s\" d=\"", text);
        any = true;
        if (arrows)
            draw_arrow(d, a);
        else
            draw_parts(d, a);
    }
    if (any)
        fprintf(d->file, arrows ? "</g>\n" : "\"/>\n");
}

/* Names the blocks of a message at its tail. */
static void draw_label(const drawing *d, const arrow *a)
{
    char text[128];
    message_text(d, a, text, sizeof text);
    fprintf(d->file, "<tspan x=\"%d\" y=\"%d\">%s</tspan>",
            x_of(d, a->start) + GAP, y_of(d, a->from) - 4, text);
}

/* Draws first all arrows, so that none covers a text, then the vectors, their blocks (the darkest
 * shade last), and the texts. In wide columns, or if several messages leave a rank together, texts
 * would cover arrows: the vectors show their blocks. */
static void draw_messages(const drawing *d)
{
    for (int colour = 0; colour < COLOURS; colour++)
        draw_colour(d, colour, true);
    if (anypi_has_no_data(d->call->collective))
        return;
    fprintf(d->file, "<path class=\"vector\" d=\"");
    for (int i = 0; i < d->arrows_count; i++)
        if (d->arrows[i].piece == 0)
            fprintf(d->file, "M%d %.1fh%dv%dh%dz", x_of(d, d->arrows[i].start + 1) - GAP,
                    y_of(d, d->arrows[i].to) - THICK / 2., -vector_width(d), THICK,
                    vector_width(d));
    fprintf(d->file, "\"/>\n");
    for (int colour = COLOURS - 1; colour >= 0; colour--)
        draw_colour(d, colour, false);
    fprintf(d->file, "<text class=\"blocks\">");
    for (int i = 0; i < d->arrows_count && d->column == COLUMN; i++)
        if (d->arrows[i].piece == 0 && d->arrows[i].alone)
            draw_label(d, &d->arrows[i]);
    fprintf(d->file, "</text>\n");
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

static void draw_line(drawing *d, int rank, bool dashed, int from, int to)
{
    d->dashed |= dashed && from < to;
    if (from < to)
        fprintf(d->file, "M%d %dH%d", x_of(d, from), y_of(d, rank), x_of(d, to));
}

/* Writes the line of a rank as parts of a path: the plain ones, or the dashed ones. After the rank
 * has sent data that only others reduce, it is out (dashed), until it receives data that it does
 * not reduce (or to the end). */
static void draw_rank(drawing *d, int rank, bool out)
{
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
            draw_line(d, rank, out, out ? end : drawn, out ? start + 1 : end);
            drawn = start + 1;
        }
        end = start + 1;
        gave = gives && !takes;
    }
    if (!out)
        draw_line(d, rank, false, drawn, end);
    else if (!anypi_has_result(d->call, rank) && !anypi_has_no_data(d->call->collective))
        draw_line(d, rank, true, end, d->time);
}

static void draw_ranks(drawing *d)
{
    const int p = d->call->p;
    fprintf(d->file, "<path class=\"rank\" d=\"");
    for (int rank = 0; rank < p; rank++)
        draw_rank(d, rank, false);
    fprintf(d->file, "\"/>\n<path class=\"out\" d=\"");
    for (int rank = 0; rank < p; rank++)
        draw_rank(d, rank, true);
    fprintf(d->file, "\"/>\n<path class=\"result\" d=\"");
    for (int rank = 0; rank < p; rank++)
        if (anypi_has_result(d->call, rank))
            fprintf(d->file, "M%d %da4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                    x_of(d, d->lines[rank].ready) - 4, y_of(d, rank));
    fprintf(d->file, "\"/>\n<text class=\"name\">");
    for (int rank = 0; rank < p; rank++)
        fprintf(d->file, "<tspan x=\"%d\" y=\"%d\">rank %d</tspan>", LEFT - 10,
                y_of(d, rank) + 4, rank);
    fprintf(d->file, "</text>\n");
}

static void draw_times(const drawing *d)
{
    fprintf(d->file, "<path class=\"grid\" d=\"");
    for (int time = 0; time <= d->time; time++)
        fprintf(d->file, "M%d %dV%d", x_of(d, time), TOP - 16, TOP + (d->call->p - 1) * ROW + 16);
    fprintf(d->file, "\"/>\n<text class=\"time\">");
    for (int time = 1; time <= d->time; time++)
        fprintf(d->file, "<tspan x=\"%d\" y=\"%d\">%d</tspan>", x_of(d, time) - d->column / 2,
                TOP - 20, time);
    fprintf(d->file, "</text>\n");
}

static void draw_legend(const drawing *d, int keys)
{
    static const char *const kinds[] = { "is reduced", "is forwarded" };
    const int y = TOP + d->call->p * ROW + LINE;
    const bool data = !anypi_has_no_data(d->call->collective);
    fprintf(d->file, "<text x=\"%d\" y=\"%d\">time in %s; %s%s%s</text>\n", LEFT, y,
            d->column == COLUMN ? "messages" : "rounds",
            data ? "bars: the blocks that arrive; " : "an arrow is a message without data; ",
            d->dashed ? "dashed: the rank has sent all its data; " : "",
            data ? "dot: the rank has its result"
            : "a rank's line ends where it leaves the barrier");
    for (int i = 0; i < keys; i++) {
        const int x = LEFT + i * KEY / (d->by_block ? 3 : 1);
        char fill[32], text[16];
        colour_text(d, d->by_block ? i : i * SHADES, fill, sizeof fill);
        fprintf(d->file, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text>\n", x, y + LINE - 11, fill, x + 16, y + LINE,
                d->by_block ? block_name(d, i, text) : kinds[i]);
    }
}

static void draw(drawing *d, const char *title)
{
    const int p = d->call->p;
    const int keys = d->by_block ? anypi_min(d->set[0].blocks, MAX_KEYS)
        : anypi_has_no_data(d->call->collective) ? 0 : 2;
    const int text = anypi_max(MARGIN + LETTER * (int) strlen(title), LEFT + (keys + 1) * KEY / 3);
    const int strips = d->call->nodes ? anypi_shape_length(d->call->nodes) - 1 : 0;
    const int width = anypi_max(x_of(d, d->time) + (d->call->nodes ? 2 : 1) * MARGIN +
                                strips * STRIP, anypi_max(740, text));
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
            ".result { fill: #222 } .message { stroke-width: 1.5 }\n"
            ".vector { fill: #fff; stroke: #999; stroke-width: 0.6 } .part { stroke-width: 7 }\n"
            ".node { fill: #eef2f6 } .switch { fill: #d6e0ea } .group { fill: #b9cadb }\n"
            ".border { stroke: #8fa3b5 } .groupname { text-anchor: middle; fill: #555 }\n"
            "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text class=\"heading\" x=\"12\" y=\"22\">%s</text>\n", width, height, title);
    draw_shape(d);
    draw_times(d);
    draw_ranks(d);
    draw_messages(d);
    draw_legend(d, keys);
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
