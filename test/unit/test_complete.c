/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_complete.c - completed decision trees, searched as MPICH does (mpich_way.h): every search
 * must end at an algorithm: that of the file where it decides, that of the defaults elsewhere. For
 * many random trees and situations, and for texts with random changes.
 */
#include "unit/common.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "select/rule_tree.h"
#include "unit/files.h"
#include "unit/mpich_way.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance ---- */

static uint64_t seed;

static int below(int n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int) (seed % (uint64_t) n);
}

#define ONE_OF(array) (array)[below((int) (sizeof(array) / sizeof *(array)))]

/* ---- comparison ---- */

static struct json_object *defaults;
static char *defaults_text;

static void read_defaults(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/decision/defaults.json", TEST_DIRECTORY);
    defaults_text = file_text(path, NULL);
    defaults = json_tokener_parse(defaults_text);
    ck_assert_ptr_nonnull(defaults);
}

static void free_defaults(void)
{
    json_object_put(defaults);
    free(defaults_text);
}

static void random_situation(anypi_signature *s)
{
    static const char *const collectives[] = { "allreduce", "reduce_scatter", "alltoall",
                                               "iallreduce", "bcast", "scan", "gatherv" };
    static const int sizes[] = { 0, 1, 7, 8, 9, 15, 16, 17, 100, 255, 256, 257, 4096, 524287,
                                 524288, 1 << 30 };
    anypi_signature_init(s, ONE_OF(collectives), 1 + below(below(2) ? 20 : 200), 0, 1);
    s->inter = strcmp(s->collective, "scan") && below(4) == 0;
    s->multi_threaded = below(2);
    s->ppn = 1 + below(20);
    s->one_node = below(2);
    s->levels = !s->one_node && s->ppn > 1;
    s->node_consecutive = below(2);
    s->hierarchy = (anypi_hierarchy) below(4);
    s->avg_msg_size = ONE_OF(sizes);
    s->total_msg_size = ONE_OF(sizes);
    s->count = ONE_OF(sizes);
    s->commutative = below(2);
    s->builtin_op = below(2);
    s->block_regular = below(2);
    s->in_place = below(2);
}

/* The algorithm's name in an object that has one; NULL in a hole or where it does not fit. */
static const char *algorithm_of(struct json_object *leaf, bool inter, char *name, size_t size)
{
    if (!leaf)
        return NULL;
    json_object_object_foreach(leaf, key, value) {
        (void) value;
        char stripped[128];
        mpich_strip(key, stripped, sizeof stripped);
        anypi_word word;        /* an alias is written as what it means */
        snprintf(name, size, "%s", stripped + strlen("algorithm="));
        const int found = anypi_word_find(name);
        if (found >= 0 && anypi_word_get(anypi_word_meant(found), &word))
            anypi_word_name(&word, name, size);
        return strstr(name, inter ? "_intra_" : "_inter_") ? NULL : name;
    }
    return NULL;
}

/* What is below the algorithm of an object: parameters. */
static struct json_object *below_algorithm(struct json_object *leaf)
{
    json_object_object_foreach(leaf, key, parameters) {
        (void) key;
        return parameters;
    }
    return NULL;
}

/* The parameters that an object's algorithm names are those of the choice. */
static void assert_parameters(struct json_object *leaf, const anypi_choice *choice)
{
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_parameters_default(choice->algorithm, parameters);
    json_object_object_foreach(below_algorithm(leaf), name, nothing) {
        (void) nothing;
        const char *reason = NULL;
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int) strcspn(name, "="), name);
        ck_assert_int_eq(anyp_parameter_set(choice->algorithm, parameters, word,
                                            name + strlen(word) + 1, &reason), ANYP_SUCCESS);
    }
    for (int i = 0; i < choice->algorithm->parameters_count; i++)
        ck_assert_int_eq(parameters[i], choice->parameters[i]);
}

/* The rule that an object of a completed tree was made from. */
static anypi_choice rule_of(const anypi_decision *decision, struct json_object *leaf)
{
    struct json_object *number = anypi_json_member(leaf, "rule", json_type_int);
    anypi_choice rule;
    anypi_decision_rule(decision, number ? json_object_get_int(number) : ANYPI_RULE_OF_DEFAULTS,
                        &rule);
    return rule;
}

/* A file's choice for a call: that of the blocking form, with AnyP's algorithm in the other form,
 * if it has no rules for the nonblocking one. The leaf into *leaf, which is NULL in a hole; the
 * algorithm's name, or NULL. */
static const char *said(const char *text, struct json_object *file, const anypi_signature *s,
                        struct json_object **leaf, char *name, size_t size)
{
    char key[64], blocking[128];
    anypi_signature walked = *s;
    snprintf(key, sizeof key, "collective=%s\"", s->collective);
    const bool other = s->collective[0] == 'i' && !strstr(text, key);
    walked.collective += other;
    *leaf = mpich_search(file, &walked);
    const char *found = algorithm_of(*leaf, s->inter, blocking, sizeof blocking);
    const char *ours = found && other ? strstr(found, "_anyp_") : NULL;
    if (found && !other)
        return snprintf(name, size, "%s", found), name;
    if (!ours)
        return NULL;
    snprintf(name, size, "MPIR_I%s_intra_tsp%s", walked.collective, ours);
    return name;
}

/* Completes the tree and compares it in `situations` random situations. Returns in how many of them
 * the file decided. */
static int compare(const char *text, const anypi_decision *decision, int situations)
{
    int decided = 0;
    char *completed = NULL;
    ck_assert_int_eq(anypi_decision_complete(decision, defaults_text, false, &completed),
                     ANYP_SUCCESS);
    struct json_object *whole = json_tokener_parse(completed);
    struct json_object *file = json_tokener_parse(text);
    ck_assert_ptr_nonnull(whole);
    ck_assert_ptr_nonnull(file);
    ck_assert(mpich_demand(whole) < (double) ANYPI_MAX_WORK);
    for (int i = 0; i < situations; i++) {
        anypi_signature s;
        anypi_choice choice;
        char by_file[128], by_default[128], by_whole[128];
        random_situation(&s);
        struct json_object *in_file, *leaf = mpich_search(whole, &s);
        struct json_object *in_defaults = mpich_search(defaults, &s);
        const char *expected = said(text, file, &s, &in_file, by_file, sizeof by_file);
        const char *fallback = algorithm_of(in_defaults, s.inter, by_default, sizeof by_default);
        const char *found = algorithm_of(leaf, s.inter, by_whole, sizeof by_whole);
        ck_assert_int_eq(anypi_decision_select(decision, &s, &choice), ANYP_SUCCESS);
        assert_often(found != NULL, "%s falls out of %s made of %s", s.collective, completed,
                     text);
        assert_often(!strcmp(found, expected ? expected : fallback), "%s, not %s: %s made of %s",
                     found, expected ? expected : fallback, completed, text);
        ck_assert_int_eq(choice.hole, expected == NULL);
        ck_assert_str_eq(choice.name, expected ? expected : "");
        const anypi_choice rule = rule_of(decision, leaf);
        ck_assert_int_eq(rule.hole, choice.hole);
        if (!rule.hole)
            ck_assert_str_eq(rule.path, choice.path);
        if (choice.algorithm)
            assert_parameters(leaf, &choice);
        else                    /* MPICH's own have no defaults */
            assert_often(json_object_equal(below_algorithm(leaf),
                                           below_algorithm(expected ? in_file : in_defaults)),
                         "other parameters of %s: %s made of %s", found, completed, text);
        decided += expected != NULL;
    }
    json_object_put(whole);
    json_object_put(file);
    anypi_free(completed);
    return decided;
}

/* ---- random trees ---- */

/* Parameters of MPICH's own algorithm: those that a rule must give, and by chance the others. */
static void random_own_parameters(FILE *out, const anypi_mpich_algorithm *own)
{
    const int required = anypi_list_count(own->parameters);
    const char *comma = "";
    char name[64], value[64];
    for (int i = 0; anypi_own_parameter(own, i, name, sizeof name); i++) {
        const char *values = anypi_mpich_values(name);
        int least, most;
        if (i >= required && below(2))
            continue;
        anypi_mpich_parameter_range(name, &least, &most);
        if (values)
            anypi_list_get(values, below(anypi_list_count(values)), value, sizeof value);
        else
            snprintf(value, sizeof value, "%d",
                     least + below(most - least < 9999 ? most - least + 1 : 9999));
        fprintf(out, "%s\"%s=%s\": {}", comma, name, value);
        comma = ", ";
    }
}

static void random_algorithm(FILE *out, const char *collective)
{
    anypi_word word;
    int words = 0;
    char name[128];
    while (anypi_word_get(words, &word))
        words++;
    do
        anypi_word_get(below(words), &word);
    while (strcmp(anypi_mpich_collective(word.collective), collective) ||
           (word.own && *word.own->unusable));
    fprintf(out, "\"algorithm=%s\": {", anypi_word_name(&word, name, sizeof name));
    if (word.own)
        random_own_parameters(out, word.own);
    for (int i = 0; word.algorithm && i < word.algorithm->parameters_count; i++) {
        const anyp_parameter *parameter = &word.algorithm->parameters[i];
        const int range =
            parameter->maximum < 9999 ? parameter->maximum - parameter->minimum + 1 : 9999;
        const bool said = word.alias && !strcmp(word.alias->parameter, parameter->name);
        if (below(2) && !said)
            fprintf(out, "%s\"%s=%s\": {}", i ? "," : "", parameter->name,
                    anyp_parameter_text(parameter, parameter->minimum + below(range), name,
                                        sizeof name));
        else
            break;
    }
    fprintf(out, "}");
}

/* A chain of random conditions; NULL: above all collectives. */
static void random_chain(FILE *out, const char *collective, int depth)
{
    static const char *const of_communicator[] = {
        "comm_type=intra", "comm_type=inter", "comm_size<=%d", "comm_size<%d", "comm_size=any",
        "comm_size=pow2", "comm_size=node_comm_size", "comm_avg_ppn<=%d", "comm_avg_ppn<=1",
        "comm_levels<=0", "comm_levels<=1", "comm_hierarchy=parent",
        "comm_hierarchy=node", "comm_hierarchy=node_roots", "comm_hierarchy=flat",
        "comm_hierarchy=any", "is_node_consecutive=yes", "is_multi_threaded=no",
        "is_multi_threaded=yes", " comm_size <= %d",
    };
    static const char *const of_any[] = { "any", "comm_type=any", "is_multi_threaded = any" };
    static const char *const of_call[] = {
        "avg_msg_size<=%d", "avg_msg_size<%d", "avg_msg_size=any", "total_msg_size<=%d",
        "total_msg_size<%d", "count<=%d", "count<pow2", "is_commutative=yes", "is_commutative=no",
        "is_op_built_in=no", "is_block_regular=yes", "is_sendbuf_inplace=no",
    };
    static const char *const of_memory[] = { "memory=host", "memory=device", "memory=any" };
    static const char *const collectives[] = { "allreduce", "reduce_scatter", "alltoall",
                                               "iallreduce", "bcast", "scan", "gatherv" };
    const int kind = below(10);
    const char *rest;
    const bool knows_any = anypi_key_find("any", &rest) >= 0;
    bool nonblocking;
    const bool moves = collective && anypi_moves(anypi_collective_of(collective, &nonblocking));
    fprintf(out, "{");
    if (collective && (depth == 0 || kind < 3)) {
        if (kind != 9)
            random_algorithm(out, collective);
    } else if (!collective && (depth == 0 || kind < 5)) {
        const int start = below(7);
        for (int i = 0; i < 1 + below(4); i++) {
            const char *name = collectives[(start + i) % 7];
            fprintf(out, "%s\"collective=%s\": ", i ? ", " : "", name);
            random_chain(out, name, depth ? depth : 1);
        }
    } else {
        const int keys = 1 + below(3);
        for (int i = 0; i < keys; i++) {
            const char *key = moves && below(3) == 0 ? ONE_OF(of_memory) :
                collective && below(2) ? ONE_OF(of_call) :
                knows_any && below(8) == 0 ? ONE_OF(of_any) : ONE_OF(of_communicator);
            fprintf(out, "%s\"", i ? ", " : "");
            fprintf(out, key, 2 + below(18));
            fprintf(out, "\": ");
            random_chain(out, collective, depth - 1);
        }
    }
    fprintf(out, "}");
}

/* The only trees refused here have conditions that MPICH misreads or does not define for the
 * collective, or rules that can never be reached. */
static void assert_random_reason(const char *message)
{
    static const char *const reasons[] = { "is not defined for", "can never hold", "never reached",
                                           "occurs twice", "below a condition on the call",
                                           "communicators below comm_type", "serves only calls",
                                           "does not serve calls" };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(message, reasons[i]))
            return;
    ck_abort_msg("%s", message);
}

START_TEST(random_trees)
{
    use_vocabulary(_i);
    enum { situations = 30 };
    const int trees = is_fast() || getenv("ANYP_SLICE") ? 300 : 1000;
    int taken = 0, decided = 0;
    seed = 20260101 + (uint64_t) slice_number();
    read_defaults();
    for (int i = 0; i < trees; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        random_chain(out, NULL, 1 + below(5));
        fclose(out);
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        if (anypi_decision_parse(text, size, "random", &decision, &diagnosis) == ANYP_SUCCESS) {
            taken++;
            decided += compare(text, decision, situations);
            anypi_decision_free(decision);
        } else {
            assert_random_reason(diagnosis.text);
        }
        free(text);
    }
    free_defaults();
    ck_assert_int_gt(taken, trees / 20);
    ck_assert_int_gt(decided, taken * situations / 50);
}
END_TEST

static void complete_file(const char *path, void *state)
{
    (void) state;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    char *text = file_text(path, NULL);
    ck_assert_int_eq(anypi_decision_read(path, &decision, &diagnosis), ANYP_SUCCESS);
    compare(text, decision, 2000);
    anypi_decision_free(decision);
    free(text);
}

START_TEST(files)
{
    use_vocabulary(_i);
    seed = 7;
    read_defaults();
    each_file("decision/valid", complete_file, NULL);
    free_defaults();
}
END_TEST

/* Rules without algorithms leave no trace. */
START_TEST(only_holes)
{
    use_vocabulary(_i);
    char path[PATH_MAX], *texts[2];
    static const char *const names[] = { "nothing", "holes" };
    read_defaults();
    for (int i = 0; i < 2; i++) {
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        snprintf(path, sizeof path, "%s/decision/valid/%s.json", TEST_DIRECTORY, names[i]);
        ck_assert_int_eq(anypi_decision_read(path, &decision, &diagnosis), ANYP_SUCCESS);
        ck_assert_int_eq(anypi_decision_complete(decision, defaults_text, false, &texts[i]),
                         ANYP_SUCCESS);
        anypi_decision_free(decision);
    }
    ck_assert_str_eq(texts[0], texts[1]);
    anypi_free(texts[0]);
    anypi_free(texts[1]);
    free_defaults();
}
END_TEST

/* In reductions, only AnyP's algorithms are left, but for intercommunicators. Rules stay. */
START_TEST(reproducible)
{
    use_vocabulary(_i);
    seed = 20261125;
    static const char rules[] =
        "{\"collective=allreduce\": {"
        "\"comm_size<=8\": {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}},"
        "\"comm_size<=16\": {\"algorithm=MPIR_Allreduce_intra_anyp_ring\": {}},"
        "\"comm_size<=32\": {}}}";
    read_defaults();
    for (int with_rules = 0; with_rules < 2; with_rules++) {
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        char *text;
        if (with_rules)
            ck_assert_int_eq(anypi_decision_parse(rules, strlen(rules), "text", &decision,
                                                  &diagnosis), ANYP_SUCCESS);
        ck_assert_int_eq(anypi_decision_complete(decision, defaults_text, true, &text),
                         ANYP_SUCCESS);
        struct json_object *whole = json_tokener_parse(text);
        for (int i = 0; i < 2000; i++) {
            anypi_signature s;
            char found[128], by_default[128];
            bool nonblocking;
            random_situation(&s);
            const anyp_collective its = anypi_collective_of(s.collective, &nonblocking);
            ck_assert_ptr_nonnull(algorithm_of(mpich_search(whole, &s), s.inter, found,
                                               sizeof found));
            const char *expected = algorithm_of(mpich_search(defaults, &s), s.inter, by_default,
                                                sizeof by_default);
            const anypi_choice rule = rule_of(decision, mpich_search(whole, &s));
            if (rule.hole && strcmp(found, expected))
                ck_assert_str_eq(rule.name, expected);  /* replaces it */
            if (s.inter || its == ANYP_COLLECTIVES || anypi_moves(its))
                ck_assert_str_eq(found, expected);
            else if (with_rules && !strcmp(s.collective + nonblocking, "allreduce") &&
                     s.p > 8 && s.p <= 16)
                ck_assert_ptr_nonnull(strstr(found, "anyp_ring"));
            else
                ck_assert_ptr_nonnull(strstr(found, anypi_is_prefix(its) ? "anyp_chain"
                                             : "anyp_exchange"));
        }
        json_object_put(whole);
        anypi_free(text);
        anypi_decision_free(decision);
    }
    free_defaults();
}
END_TEST

/* A collective that the defaults lack is left out if the file lacks it, too, and refused if the
 * file leaves a hole there. */
START_TEST(unknown_to_the_defaults)
{
    use_vocabulary(_i);
    static const struct {
        const char *text;
        anyp_status status;
    } rows[] = {
        { "{}", ANYP_SUCCESS },
        { "{\"collective=barrier\": {\"comm_size<=8\": {}}}", ANYP_ERR_FILE },
        { "{\"collective=barrier\": {\"algorithm=MPIR_Barrier_allcomm_nb\": {}}}", ANYP_SUCCESS },
        { "{\"collective=gather\": {\"algorithm=MPIR_Gather_intra_binomial\": {}}}",
          ANYP_ERR_FILE },
    };
    read_defaults();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        char *text = NULL;
        ck_assert_int_eq(anypi_decision_parse(rows[i].text, strlen(rows[i].text), "text", &decision,
                                              &diagnosis), ANYP_SUCCESS);
        ck_assert_int_eq(anypi_decision_complete(decision, defaults_text, false, &text),
                         rows[i].status);
        if (rows[i].status == ANYP_SUCCESS) {
            ck_assert_int_eq(strstr(text, "barrier") != NULL, i == 2);
            anypi_free(text);
        }
        ck_assert_int_eq(anypi_decision_complete(decision, "{\"collective=x\": {}}", false, &text),
                         ANYP_ERR_FILE);
        ck_assert_int_eq(anypi_decision_complete(decision, "not JSON", false, &text),
                         ANYP_ERR_FILE);
        anypi_decision_free(decision);
    }
    free_defaults();
}
END_TEST

/* ---- hostile surroundings ---- */

/* Reads and completes with the n-th allocation failing, for every n. */
static void starve_file(const char *path, void *state)
{
    int *failures = state;
    for (long n = 0;; n++) {
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        char *text = NULL;
        anypi_fail_allocation(n);
        anyp_status status = anypi_decision_read(path, &decision, &diagnosis);
        if (status == ANYP_SUCCESS)
            status = anypi_decision_complete(decision, defaults_text, false, &text);
        anypi_fail_allocation(-1);
        anypi_decision_free(decision);
        anypi_free(text);
        if (status == ANYP_SUCCESS)
            break;
        ck_assert_int_eq(status, ANYP_ERR_MEMORY);
        ++*failures;
    }
}

START_TEST(no_memory)
{
    use_vocabulary(_i);
    int failures = 0;
    read_defaults();
    each_file("decision/valid", starve_file, &failures);
    free_defaults();
    ck_assert_int_gt(failures, 100);
}
END_TEST

/* Random changes of a file: bytes flipped, removed, doubled, cut off. Files that are still accepted
 * must be completed like any other. */
static void mutate_text(const char *text, size_t length, int *taken)
{
    enum { changes = 400 };
    for (int i = 0; i < changes; i++) {
        char changed[8192];
        size_t size = length < 4096 ? length : 4096;
        memcpy(changed, text, size);
        for (int k = 1 + below(4); k > 0 && size > 1; k--) {
            const size_t at = (size_t) below((int) size);
            const int what = below(10);
            if (what == 0) {
                size = at;
            } else if (what < 4) {
                changed[at] = (char) (changed[at] ^ 1 << below(8));
            } else if (what < 6) {
                memmove(changed + at, changed + at + 1, size - at - 1);
                size--;
            } else if (what < 8) {
                changed[at] = "{}\":,[]/*'\\ 0<=\n"[below(16)];
            } else if (size < 8000) {
                const size_t more = size - at < 40 ? size - at : 40;
                memmove(changed + at + more, changed + at, size - at);
                size += more;
            }
        }
        changed[size] = '\0';
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        const anyp_status status = anypi_decision_parse(changed, size, "changed", &decision,
                                                        &diagnosis);
        if (status == ANYP_SUCCESS) {
            char *whole = NULL;
            ++*taken;
            /* A hole in a collective that the test's defaults do not know cannot be filled. */
            const anyp_status completed = anypi_decision_complete(decision, defaults_text,
                                                                  false, &whole);
            ck_assert(completed == ANYP_SUCCESS || completed == ANYP_ERR_FILE);
            if (completed == ANYP_SUCCESS)
                anypi_free(whole);
            anypi_decision_free(decision);
        } else {
            ck_assert_int_eq(status, ANYP_ERR_FILE);
            ck_assert_int_gt(diagnosis.errors, 0);
            ck_assert_ptr_nonnull(strstr(diagnosis.text, "changed:"));
        }
    }
}

static void mutate_file(const char *path, void *state)
{
    size_t length;
    char *text = file_text(path, &length);
    mutate_text(text, length, state);
    free(text);
}

static void mutate_input(const decision_input *input, void *state)
{
    mutate_text(input->text, input->length, state);
}

START_TEST(mutations)
{
    use_vocabulary(_i);
    int taken = 0;
    seed = 42;
    read_defaults();
    each_file("decision/valid", mutate_file, &taken);
    each_malformed(mutate_input, &taken);
    free_defaults();
    ck_assert_int_gt(taken, 100);
}
END_TEST

Suite *suite_complete(void)
{
    TCase *tests;
    const int count = vocabularies();
    Suite *suite = suite_of("complete", &tests);
    tcase_add_loop_test(tests, random_trees, 0, count);
    tcase_add_loop_test(tests, files, 0, count);
    tcase_add_loop_test(tests, only_holes, 0, count);
    tcase_add_loop_test(tests, reproducible, 0, count);
    tcase_add_loop_test(tests, unknown_to_the_defaults, 0, count);
    tcase_add_loop_test(tests, no_memory, 0, count);
    tcase_add_loop_test(tests, mutations, 0, count);
    return suite;
}
