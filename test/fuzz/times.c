/* SPDX-License-Identifier: BSD-3-Clause
 *
 * times.c - timing files: any text must be read, or refused with a message. A file that was read is
 * written and read again without a change, and makes a decision file that is accepted.
 */
#include "fuzz/fuzz.h"

#include "tuner/bench_table.h"
#include "tuner/regions.h"
#include "tuner/decision_file.h"
#include "tuner/candidates.h"
#include "tuner/tuner_options.h"
#include "tuner/timing_file.h"
#include "select/decision.h"
#include "select/jsonc.h"
#include "select/mpich.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    stdout = fopen("/dev/null", "w");
    FUZZ_CHECK(stdout, "/dev/null");
    return 0;
}

/* The plan of a text; NULL if it is refused. To be freed with drop(). */
static anypi_plan *join(const char *text)
{
    char message[1024] = "";
    const char *const file = "times";
    anypi_plan *plan = calloc(1, sizeof *plan);
    FUZZ_CHECK(plan, "no memory");
    if (anypi_times_join(plan, &text, &file, 1, false, NULL, message, sizeof message))
        return plan;
    FUZZ_CHECK(*message && !strchr(message, '\n'), "'%s'", message);
    anypi_plan_free(plan);
    free(plan);
    return NULL;
}

static void drop(anypi_plan *plan)
{
    anypi_plan_free(plan);
    free(plan);
}

static void choose(anypi_plan *plan)
{
    const anypi_choosing how = { .margin = 0.03, .regret = 0.03 };
    anypi_regions regions = { .count = 0 };
    FUZZ_CHECK(anypi_choose_all(plan, &how, &regions), "no memory");
    char *text = anypi_write_decision(&regions, "here\nnow");
    FUZZ_CHECK(text, "no memory");
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    FUZZ_CHECK(!anypi_decision_parse(text, strlen(text), "rules", &decision, &diagnosis), "%s\n%s",
               diagnosis.text, text);
    anypi_decision_free(decision);
    free(text);
    anypi_regions_free(&regions);
}

static void bench(const char *text)
{
    static anypi_bench table, again;
    char message[1024] = "";
    if (!anypi_bench_parse(text, "table", &table, message, sizeof message)) {
        FUZZ_CHECK(*message, "no message");
        return;
    }
    char *written = anypi_bench_text(&table);
    FUZZ_CHECK(written && anypi_bench_parse(written, "again", &again, message, sizeof message),
               "%s\n%s", message, written);
    FUZZ_CHECK(table.count == again.count, "%s", written);
    anypi_bench_merge(&table, &again);
    anypi_bench_choose(&table, NULL);
    anypi_bench_print(&table, &again);
    free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char message[256];
    FUZZ_CHECK(anypi_names_open("4.0", message, sizeof message), "%s", message);
    anypi_form_set(false);
    anypi_plan *plan = join(text);
    if (plan) {
        struct json_object *head = json_tokener_parse(text);
        const char *origin = anypi_times_origin(head);
        char *written = anypi_times_write(plan, NULL, origin);
        FUZZ_CHECK(written, "no memory");
        anypi_plan *again = join(written);
        FUZZ_CHECK(again, "what was written is refused: %s", written);
        char *twice = anypi_times_write(again, NULL, origin);
        FUZZ_CHECK(twice && !strcmp(written, twice), "%s\n%s", written, twice);
        choose(plan);
        drop(again);
        drop(plan);
        json_object_put(head);
        free(written);
        free(twice);
    }
    bench(text);
    free(text);
    return 0;
}
