/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/bench_table.h"

#include "tuner/decision_file.h"
#include "tuner/candidates.h"
#include "options/json.h"
#include "options/text_file.h"
#include "tuner/timing_file.h"
#include "schedule/collectives.h"
#include "select/jsonc.h"
#include "select/mpich.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char library[] = "library's choice";

void anypi_bench_cells(anypi_bench *bench, const bool wanted[ANYP_COLLECTIVES], int p,
                       const anyp_shape *nodes)
{
    static const int64_t sizes[ANYPI_BENCH_SIZES] = { 16, 2048, 16384, 131072, 1048576 };
    anypi_plan plan = { .sizes_count = 0 };
    memcpy(plan.wanted, wanted, sizeof plan.wanted);
    bench->p = p;
    bench->count = 0;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const bool has_no_data = anypi_has_no_data((anyp_collective) i);
        const int count = has_no_data ? 1 : ANYPI_BENCH_SIZES;
        for (int operators = 0; operators < 2; operators++)
            for (int size = 0; size < count && anypi_plan_has(&plan, i, operators); size++) {
                const anypi_cell cell = { .collective = (anyp_collective) i,
                                          .commutative = !operators, .p = p, .nodes = nodes,
                                          .bytes = has_no_data ? 0 : sizes[size] };
                const anyp_call call = anypi_cell_call(&cell);
                if (call.count * call.type_size > cell.bytes)
                    continue;   /* less than one element for each process */
                bench->rows[bench->count].count = 0;
                bench->rows[bench->count].algorithm[0] = '\0';
                bench->rows[bench->count++].cell = cell;
            }
    }
}

anypi_interval anypi_bench_interval(const anypi_bench *bench, int row)
{
    return anypi_interval_of(bench->rows[row].times, bench->rows[row].count, ANYPI_DOUBT);
}

static void write_row(anypi_json *json, const anypi_bench *bench, int row)
{
    const anypi_cell *cell = &bench->rows[row].cell;
    anypi_json_write(json, "{ collective:%s commutative:%hhd bytes:%" PRId64 " algorithm:%s "
                     "seconds:%g rounds:[", anypi_form_name(cell->collective), cell->commutative,
                     cell->bytes, bench->rows[row].algorithm,
                     anypi_bench_interval(bench, row).median);
    for (int round = 0; round < bench->rows[row].count; round++)
        anypi_json_write(json, "%g", bench->rows[row].times[round]);
    anypi_json_write(json, "] }");
}

char *anypi_bench_text(const anypi_bench *bench)
{
    char *text = NULL;
    size_t size;
    anypi_json json = { .file = open_memstream(&text, &size) };
    if (!json.file)
        return NULL;
    anypi_json_write(&json, "{ anyp_bench:%d p:%d", 1, bench->p);
    if (bench->shape != ANYPI_EVEN)
        anypi_json_write(&json, "uneven:%s", anypi_uneven_name(bench->shape));
    anypi_json_write(&json, "times:[");
    for (int i = 0; i < bench->count; i++)
        write_row(&json, bench, i);
    anypi_json_write(&json, "] }");
    return anypi_text_end(json.file, &text);
}

/* Ignores invalid times and surplus rounds. */
static void add_time(anypi_bench *bench, int row, double seconds)
{
    if (seconds > 0 && seconds < INFINITY && bench->rows[row].count < ANYPI_BENCH_ROUNDS)
        bench->rows[row].times[bench->rows[row].count++] = seconds;
}

static bool parse_row(struct json_object *object, anypi_bench *bench)
{
    struct json_object *rounds = anypi_json_member(object, "rounds", json_type_array);
    struct json_object *algorithm = anypi_json_member(object, "algorithm", json_type_string);
    if (!rounds || !algorithm || bench->count == ANYPI_BENCH_CELLS ||
        !anypi_cell_read(object, &bench->rows[bench->count].cell) ||
        bench->rows[bench->count].cell.collective == ANYP_COLLECTIVES)
        return false;
    const int row = bench->count++;
    bench->rows[row].cell.p = bench->p;
    snprintf(bench->rows[row].algorithm, sizeof bench->rows[row].algorithm, "%s",
             json_object_get_string(algorithm));
    bench->rows[row].count = 0;
    for (size_t i = 0; i < json_object_array_length(rounds); i++)
        add_time(bench, row, json_object_get_double(json_object_array_get_idx(rounds, i)));
    return true;
}

bool anypi_bench_parse(const char *text, const char *name, anypi_bench *bench, char *message,
                       size_t size)
{
    struct json_object *root = json_tokener_parse(text);
    struct json_object *p = anypi_json_member(root, "p", json_type_int);
    struct json_object *times = anypi_json_member(root, "times", json_type_array);
    bool right = p && times && anypi_json_member(root, "anyp_bench", json_type_int);
    struct json_object *shape = anypi_json_member(root, "uneven", json_type_string);
    bench->shape = shape ? anypi_uneven_find(json_object_get_string(shape)) : ANYPI_EVEN;
    right = right && bench->shape != ANYPI_UNEVENS && json_object_get_int(p) > 0 &&
            json_object_get_int(p) <= ANYPI_MOST_RANKS;
    bench->count = 0;
    bench->p = right ? json_object_get_int(p) : 0;
    for (size_t i = 0; right && i < (size_t) json_object_array_length(times); i++)
        right = parse_row(json_object_array_get_idx(times, i), bench);
    if (!right)
        snprintf(message, size, "%s is not a timing file of anyp-bench; write one with --save",
                 name);
    json_object_put(root);
    return right;
}

bool anypi_bench_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                        char *text, size_t size)
{
    anypi_candidate candidate;
    anypi_choice choice;
    const bool chosen = anypi_chosen(decision, cell, equal, &choice, &candidate);
    const char *own = strstr(choice.name, "_intra_");
    if (chosen)
        snprintf(text, size, "%s", anypi_candidate_text(&candidate).text);
    else        /* a rule with the names of any MPICH means the library's choice */
        snprintf(text, size, "%s", own && !anypi_mpich_now()->any ? own + strlen("_intra_")
                 : library);
    return chosen;
}

void anypi_bench_choose(anypi_bench *bench, const anypi_decision *decision)
{
    for (int i = 0; i < bench->count; i++)
        anypi_bench_chosen(decision, &bench->rows[i].cell, bench->shape == ANYPI_EVEN,
                           bench->rows[i].algorithm, sizeof bench->rows[i].algorithm);
}

/* Returns the row of an equal cell; -1 if there is none. */
static int row_of(const anypi_bench *bench, const anypi_cell *cell)
{
    for (int i = 0; bench && i < bench->count; i++) {
        const anypi_cell *other = &bench->rows[i].cell;
        if (other->collective == cell->collective && other->commutative == cell->commutative &&
            other->bytes == cell->bytes && bench->p == cell->p)
            return i;
    }
    return -1;
}

void anypi_bench_merge(anypi_bench *bench, const anypi_bench *other)
{
    for (int i = 0; i < bench->count; i++) {
        const int row = row_of(other, &bench->rows[i].cell);
        for (int k = row < 0 ? 0 : other->rows[row].count; k > 0; k--)
            add_time(bench, i, other->rows[row].times[k - 1]);
    }
}

typedef struct ratios {
    int count, noise;           /* number of rows, and of those within noise */
    double logarithms, min, max;
} ratios;

static void add_ratio(ratios *to, double ratio, bool noise)
{
    to->min = to->count ? fmin(to->min, ratio) : ratio;
    to->max = to->count ? fmax(to->max, ratio) : ratio;
    to->logarithms += log(ratio);
    to->noise += noise;
    to->count++;
}

/* Prints the rows that the file changes, for each collective that has some. If there are several
 * collectives, the last ratios are those of all. */
static void print_changed(const ratios changed[ANYP_COLLECTIVES + 1])
{
    int collectives = 0;
    for (int i = 0; i <= ANYP_COLLECTIVES; i++) {
        const ratios *one = &changed[i];
        if (!one->count || (i == ANYP_COLLECTIVES && collectives == 1))
            continue;
        printf("%s: %d rows that the decision file changes: %.2f times as fast (geometric mean), "
               "%.2f to %.2f; %d within noise\n",
               i < ANYP_COLLECTIVES ? anypi_form_name((anyp_collective) i) : "all", one->count,
               exp(one->logarithms / one->count), one->min, one->max, one->noise);
        collectives++;
    }
}

static void print_ratios(const ratios changed[ANYP_COLLECTIVES + 1], const ratios *same)
{
    const int disturbed = same->count - same->noise;
    print_changed(changed);
    if (same->count)
        printf("%d rows with the same algorithm in both, so that only noise differs: %.2f to "
               "%.2f\n", same->count, same->min, same->max);
    if (disturbed)
        printf("%d of these are not within noise: the machine was disturbed, and similar ratios "
               "prove nothing. Alternate runs of anyp-bench --save FILE --again without and with "
               "the decision file, each with a FILE of its own\n", disturbed);
}

/* Prints the times of a row, and counts its ratio. */
static void print_times(const anypi_bench *bench, int row, const anypi_bench *before,
                        ratios changed[ANYP_COLLECTIVES + 1], ratios *same)
{
    const anypi_interval new = anypi_bench_interval(bench, row);
    const int earlier = row_of(before, &bench->rows[row].cell);
    const double time = 1e6 * new.median;
    if (!before) {
        printf("%10.1f  ", time);
        return;
    }
    if (earlier < 0 || !bench->rows[row].count || !before->rows[earlier].count) {
        printf("%10s  %10.1f  %5s  %-12s  ", "-", time, "-", "-");
        return;
    }
    const anypi_interval old = anypi_bench_interval(before, earlier);
    const double ratio = old.median / new.median;
    const bool noise = old.low <= new.high && new.low <= old.high;
    const bool alike = !strcmp(before->rows[earlier].algorithm, bench->rows[row].algorithm);
    char text[64];
    if (noise || alike)
        snprintf(text, sizeof text, "%s", noise ? "within noise" : "disturbed");
    else
        snprintf(text, sizeof text, "%.2f to %.2f", old.low / new.high, old.high / new.low);
    printf("%10.1f  %10.1f  %5.2f  %-12s  ", 1e6 * old.median, time, ratio, text);
    add_ratio(alike ? same : &changed[bench->rows[row].cell.collective], ratio, noise);
    if (!alike)
        add_ratio(&changed[ANYP_COLLECTIVES], ratio, noise);
}

void anypi_bench_print(const anypi_bench *bench, const anypi_bench *before)
{
    ratios changed[ANYP_COLLECTIVES + 1] = { 0 }, same = { 0 };
    printf("%d processes", bench->p);
    if (bench->shape != ANYPI_EVEN)
        printf("; sizes of blocks: %s", anypi_uneven_name(bench->shape));
    printf("; medians in microseconds%s\n",
           before ? "; ratio = before / after, above 1 is faster" : "");
    printf("%-20s  %-14s  %8s  ", "collective", "operator", "bytes");
    if (before)
        printf("%10s  %10s  %5s  %-12s  ", "before", "after", "ratio", "interval");
    else
        printf("%10s  ", "time");
    printf("algorithm, parameters that are not auto\n");
    for (int i = 0; i < bench->count; i++) {
        const anypi_cell *cell = &bench->rows[i].cell;
        char text[sizeof bench->rows[i].algorithm];
        if (i && bench->rows[i - 1].cell.collective != cell->collective)
            printf("\n");
        memcpy(text, bench->rows[i].algorithm, sizeof text);
        anypi_candidate_shorten(text);
        printf("%-20s  %-14s  %8lld  ", anypi_form_name(cell->collective),
               anypi_operator(cell->collective, cell->commutative), (long long) cell->bytes);
        print_times(bench, i, before, changed, &same);
        printf("%s\n", text);
    }
    if (before)
        printf("\n");
    print_ratios(changed, &same);
}
