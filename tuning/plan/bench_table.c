/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/bench_table.h"

#include "plan/chosen.h"
#include "plan/files.h"
#include "plan/form.h"
#include "select/jsonc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void anypi_bench_cells(anypi_bench *bench, const bool wanted[ANYP_COLLECTIVES], int p,
                       const anyp_nodes *nodes)
{
    static const int64_t sizes[ANYPI_BENCH_SIZES] = { 16, 2048, 16384, 131072, 1048576 };
    anypi_plan plan = { .sizes_count = 0 };
    memcpy(plan.wanted, wanted, sizeof plan.wanted);
    bench->p = p;
    bench->count = 0;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        for (int operators = 0; operators < 2; operators++)
            for (int size = 0; size < ANYPI_BENCH_SIZES && anypi_plan_has(&plan, i, operators);
                 size++) {
                const anypi_cell cell = { .collective = (anyp_collective) i,
                                          .commutative = !operators, .p = p, .nodes = nodes,
                                          .bytes = sizes[size] };
                const anyp_call call = anypi_cell_call(&cell);
                if (call.count * call.type_size > cell.bytes)
                    continue;   /* less than one element for each process */
                bench->rows[bench->count].seconds = NAN;
                bench->rows[bench->count++].cell = cell;
            }
}

char *anypi_bench_text(const anypi_bench *bench)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "{\n  \"anyp_bench\": 1,\n  \"p\": %d,\n", bench->p);
    if (bench->shape != ANYPI_EVEN)
        fprintf(file, "  \"uneven\": \"%s\",\n", anypi_uneven_name(bench->shape));
    fprintf(file, "  \"times\": [\n");
    for (int i = 0; i < bench->count; i++)
        fprintf(file, "    { \"collective\": \"%s\", \"commutative\": %s, \"bytes\": %lld, "
                "\"seconds\": %.9f }%s\n",
                anypi_form_name(bench->rows[i].cell.collective),
                bench->rows[i].cell.commutative ? "true" : "false",
                (long long) bench->rows[i].cell.bytes, bench->rows[i].seconds,
                i + 1 < bench->count ? "," : "");
    fprintf(file, "  ]\n}\n");
    if (!fclose(file))
        return text;
    free(text);
    return NULL;
}

static bool parse_row(struct json_object *object, anypi_bench *bench)
{
    struct json_object *seconds = anypi_json_member(object, "seconds", json_type_double);
    if (!seconds || bench->count == ANYPI_BENCH_CELLS ||
        !anypi_cell_read(object, &bench->rows[bench->count].cell) ||
        bench->rows[bench->count].cell.collective == ANYP_COLLECTIVES)
        return false;
    bench->rows[bench->count].cell.p = bench->p;
    bench->rows[bench->count++].seconds = json_object_get_double(seconds);
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
    right = right && bench->shape != ANYPI_UNEVENS;
    bench->count = 0;
    bench->p = right ? json_object_get_int(p) : 0;
    for (size_t i = 0; right && i < (size_t) json_object_array_length(times); i++)
        right = parse_row(json_object_array_get_idx(times, i), bench);
    if (!right)
        snprintf(message, size, "%s: not the times of an anyp-bench; write them with --save", name);
    json_object_put(root);
    return right;
}

bool anypi_bench_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                        bool names_own, char *text, size_t size)
{
    anypi_candidate candidate;
    anypi_choice choice;
    const bool chosen = anypi_chosen(decision, cell, equal, names_own, &choice, &candidate);
    if (chosen)
        anypi_candidate_text(&candidate, text, size);
    else
        snprintf(text, size, "library's choice");
    return chosen;
}

/* The time of an equal cell; NAN if there is none. */
static double time_of(const anypi_bench *bench, const anypi_cell *cell)
{
    for (int i = 0; bench && i < bench->count; i++) {
        const anypi_cell *other = &bench->rows[i].cell;
        if (other->collective == cell->collective && other->commutative == cell->commutative &&
            other->bytes == cell->bytes && bench->p == cell->p)
            return bench->rows[i].seconds;
    }
    return NAN;
}

void anypi_bench_merge(anypi_bench *bench, const anypi_bench *other)
{
    for (int i = 0; i < bench->count; i++)
        bench->rows[i].seconds = fmin(bench->rows[i].seconds,
                                      time_of(other, &bench->rows[i].cell));
}

/* Times of one algorithm that differ more than by this factor say that the load of the machine has
 * changed. */
static const double MAX_NOISE = 1.5;

typedef struct ratios {
    int count;
    double logarithms, min, max;
} ratios;

static void add_ratio(ratios *to, double ratio)
{
    to->min = to->count ? fmin(to->min, ratio) : ratio;
    to->max = to->count ? fmax(to->max, ratio) : ratio;
    to->logarithms += log(ratio);
    to->count++;
}

/* The rows that the file changes, of each collective that has some, and if these are several, of
 * all of them. */
static void print_changed(const ratios changed[ANYP_COLLECTIVES])
{
    ratios all = { .count = 0 };
    int collectives = 0;
    for (int i = 0; i <= ANYP_COLLECTIVES; i++) {
        const ratios *one = i < ANYP_COLLECTIVES ? &changed[i] : &all;
        if (!one->count || (i == ANYP_COLLECTIVES && collectives == 1))
            continue;
        printf("%s: %d rows that the decision file changes: %.2f times as fast (geometric mean), "
               "%.2f to %.2f\n",
               i < ANYP_COLLECTIVES ? anypi_form_name((anyp_collective) i) : "all", one->count,
               exp(one->logarithms / one->count), one->min, one->max);
        collectives++;
        all = (ratios) { .count = all.count + one->count,
                         .logarithms = all.logarithms + one->logarithms,
                         .min = all.count ? fmin(all.min, one->min) : one->min,
                         .max = fmax(all.max, one->max) };
    }
}

static void print_ratios(const ratios changed[ANYP_COLLECTIVES], const ratios *same)
{
    print_changed(changed);
    if (same->count)
        printf("%d rows that it leaves to the library, so that only noise differs: %.2f to %.2f\n",
               same->count, same->min, same->max);
    if (same->count && (same->min < 1 / MAX_NOISE || same->max > MAX_NOISE))
        printf("So much noise hides what the file changes: run anyp-bench --save FILE --again a "
               "few times in turn without and with the decision file, each with a FILE of its "
               "own\n");
}

void anypi_bench_print(const anypi_bench *bench, const anypi_bench *before,
                       const anypi_decision *decision, bool names_own)
{
    ratios changed[ANYP_COLLECTIVES] = { 0 }, same = { 0 };
    printf("%d processes", bench->p);
    if (bench->shape != ANYPI_EVEN)
        printf("; sizes of blocks: %s", anypi_uneven_name(bench->shape));
    printf("; times in microseconds%s\n",
           before ? "; ratio = before / after, above 1 is faster" : "");
    printf("%-20s  %-14s  %8s  ", "collective", "operator", "bytes");
    if (before)
        printf("%10s  %10s  %5s  ", "before", "after", "ratio");
    else
        printf("%10s  ", "time");
    printf("algorithm, parameters that are not auto\n");
    for (int i = 0; i < bench->count; i++) {
        const anypi_cell *cell = &bench->rows[i].cell;
        const double time = bench->rows[i].seconds, old = time_of(before, cell);
        char text[3 * ANYPI_NAME_SIZE];
        if (i && bench->rows[i - 1].cell.collective != cell->collective)
            printf("\n");
        const bool left = !anypi_bench_chosen(decision, cell, bench->shape == ANYPI_EVEN,
                                              names_own, text, sizeof text);
        anypi_candidate_shorten(text);
        printf("%-20s  %-14s  %8lld  ", anypi_form_name(cell->collective),
               anypi_operator(cell->collective, cell->commutative), (long long) cell->bytes);
        if (before && old > 0 && time > 0) {
            printf("%10.1f  %10.1f  %5.2f  ", 1e6 * old, 1e6 * time, old / time);
            add_ratio(left ? &same : &changed[cell->collective], old / time);
        } else if (before) {
            printf("%10s  %10.1f  %5s  ", "-", 1e6 * time, "-");
        } else {
            printf("%10.1f  ", 1e6 * time);
        }
        printf("%s\n", text);
    }
    if (before)
        printf("\n");
    print_ratios(changed, &same);
}
