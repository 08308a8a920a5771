/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision.c - decision files: any text must be read, or refused with a message. A file that was
 * read is written, and completed from MPICH's defaults, without a change of any choice.
 */
#include "fuzz/fuzz.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "select/decision.h"
#include "select/mpich.h"

static char *defaults;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    defaults = fuzz_file(FUZZ_SOURCE "/test/decision/defaults.json");
    return 0;
}

static anypi_decision *read_text(const char *text, size_t length)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis = { 0 };
    const anyp_status status = anypi_decision_parse(text, length, "text", &decision, &diagnosis);
    FUZZ_CHECK((status == ANYP_SUCCESS) == (diagnosis.errors == 0), "%s", diagnosis.text);
    FUZZ_CHECK((status == ANYP_SUCCESS) == (decision != NULL), "%s", diagnosis.text);
    FUZZ_CHECK(status == ANYP_SUCCESS || *diagnosis.text, "refused without a message");
    return decision;
}

static void are_equal(const anypi_choice *one, const anypi_choice *other)
{
    FUZZ_CHECK(one->hole == other->hole && one->algorithm == other->algorithm, "%s, %s", one->name,
               other->name);
    FUZZ_CHECK(one->algorithm || !strcmp(one->name, other->name), "%s, %s", one->name,
               other->name);
    for (int i = 0; one->algorithm && i < one->algorithm->parameters_count; i++)
        FUZZ_CHECK(one->parameters[i] == other->parameters[i], "%s, parameter %d", one->name, i);
}

/* Some calls of each collective in both forms: the choice of `whole` must be that of `decision`; in
 * a hole that of `fallback`, if there is one. */
static void compare_choices(const anypi_decision *decision, const anypi_decision *fallback,
                            const anypi_decision *whole)
{
    static const int sizes[][2] = { { 1, 0 }, { 2, 1 }, { 3, 100 }, { 8, 4096 }, { 13, 1 << 20 } };
    for (int i = 0; i < 2 * ANYP_COLLECTIVES; i++)
        for (unsigned k = 0; k < 4 * (sizeof sizes / sizeof *sizes); k++) {
            const anypi_collective *its = &anypi_collectives[i / 2];
            anypi_signature s;
            anypi_choice expected, found;
            anypi_signature_init(&s, i % 2 ? its->nonblocking : its->name, sizes[k / 4][0],
                                 sizes[k / 4][1], 8);
            s.inter = k % 4 == 3;
            s.multi_threaded = s.in_place = k & 1;
            s.one_node = s.node_consecutive = s.commutative = s.builtin_op = !(k & 2);
            s.levels = !s.one_node && s.ppn > 1;
            s.hierarchy = (anypi_hierarchy) (k % 4);
            s.block_regular = k % 3;
            FUZZ_CHECK(!anypi_decision_select(decision, &s, &expected), "%s", s.collective);
            FUZZ_CHECK(!expected.hole || !fallback ||
                       !anypi_decision_select(fallback, &s, &expected), "%s", s.collective);
            FUZZ_CHECK(!anypi_decision_select(whole, &s, &found), "%s", s.collective);
            are_equal(&expected, &found);
        }
}

static void write_again(const anypi_decision *decision, bool lines)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    FUZZ_CHECK(file, "no memory");
    anypi_decision_write(decision, lines, file);
    fclose(file);
    anypi_decision *again = read_text(text, length);
    FUZZ_CHECK(again, "what was written is refused: %s", text);
    FUZZ_CHECK(anypi_decision_hash(again) == anypi_decision_hash(decision), "%s", text);
    compare_choices(decision, NULL, again);
    anypi_decision_free(again);
    free(text);
}

static void complete(const anypi_decision *decision, bool reproducible)
{
    char *text = NULL;
    const anyp_status status = anypi_decision_complete(decision, defaults, reproducible, &text);
    FUZZ_CHECK((status == ANYP_SUCCESS) == (text != NULL), "%d", status);
    if (status != ANYP_SUCCESS) {           /* these defaults have not every collective */
        FUZZ_CHECK(status == ANYP_ERR_FILE, "%d", status);
        return;
    }
    anypi_decision *whole = NULL, *fallback = NULL;
    FUZZ_CHECK(anypi_defaults_parse(text, &whole) == ANYP_SUCCESS, "%s", text);
    FUZZ_CHECK(anypi_defaults_parse(defaults, &fallback) == ANYP_SUCCESS, "the defaults");
    if (!reproducible)
        compare_choices(decision, fallback, whole);
    anypi_decision_free(whole);
    anypi_decision_free(fallback);
    anypi_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    anypi_decision *decision;
    anypi_mpich_use_any();
    decision = read_text(text, size);
    if (decision) {
        anypi_decision_hash(decision);
        compare_choices(decision, NULL, decision);
    }
    anypi_decision_free(decision);

    anypi_mpich_use(NULL);
    if (!memchr(text, '\0', size) && anypi_defaults_parse(text, &decision) == ANYP_SUCCESS)
        anypi_decision_free(decision);
    decision = read_text(text, size);
    if (decision) {
        write_again(decision, false);
        write_again(decision, true);
        complete(decision, false);
        complete(decision, true);
    }
    anypi_decision_free(decision);
    free(text);
    return 0;
}
