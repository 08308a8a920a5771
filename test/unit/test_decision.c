/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_decision.c - decision files: messages for bad ones, rules that fire, hashes. The files are
 * in test/decision; a new one needs no change here.
 */
#include "unit/common.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "select/rule_tree.h"
#include "unit/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static anypi_decision *parsed(const char *text)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    const anyp_status status = anypi_decision_parse(text, strlen(text), "text", &decision,
                                                    &diagnosis);
    ck_assert_msg(status == ANYP_SUCCESS, "%s", diagnosis.text);
    return decision;
}

/* ---- messages ---- */

/* A temporary file with an input. */
typedef struct input_file {
    char folder[32], path[PATH_MAX];
} input_file;

static input_file write_input(const decision_input *input)
{
    input_file new = { .folder = "/tmp/anyp-test-XXXXXX" };
    ck_assert_ptr_nonnull(mkdtemp(new.folder));
    snprintf(new.path, sizeof new.path, "%s/%s", new.folder, input->name);
    FILE *file = fopen(new.path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(input->text, 1, input->length, file), input->length);
    ck_assert_int_eq(fclose(file), 0);
    return new;
}

static void remove_input(const input_file *file)
{
    unlink(file->path);
    rmdir(file->folder);
}

/* The expected message, with the release of the vocabulary in force for its RELEASE. */
static char *expected_text(const char *text)
{
    char *wanted = NULL;
    size_t size;
    FILE *file = open_memstream(&wanted, &size);
    const char *release = strstr(text, "RELEASE");
    fprintf(file, "%.*s%s%s", release ? (int) (release - text) : INT_MAX, text,
            release ? anypi_mpich_now()->release : "", release ? release + strlen("RELEASE") : "");
    fclose(file);
    return wanted;
}

static void check_malformed(const decision_input *input, void *state)
{
    int *files = state;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    char *expected = expected_text(input->message);
    const input_file file = write_input(input);

    ck_assert_int_eq(anypi_decision_read(file.path, &decision, &diagnosis), ANYP_ERR_FILE);
    remove_input(&file);
    ck_assert_int_ge(diagnosis.errors, 1);
    ck_assert_int_ge(diagnosis.line, 1);
    ck_assert_int_ge(diagnosis.column, 1);
    ck_assert_ptr_null(decision);
    /* The file's name is printed as it was given, or at least its end. */
    const char *told = strstr(diagnosis.text, input->name);
    ck_assert_ptr_nonnull(told);
    ck_assert_str_eq(told, expected);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, diagnosis.path));
    free(expected);
    ++*files;
}

START_TEST(malformed_files)
{
    use_vocabulary(_i);
    int files = 0;
    each_malformed(check_malformed, &files);
    ck_assert_int_ge(files, 80);
}
END_TEST

/* What the writer makes of the rules is read as the same rules. */
static void assert_written_again(const anypi_decision *decision, bool lines)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    anypi_decision_write(decision, lines, file);
    ck_assert_int_eq(fclose(file), 0);
    anypi_decision *again = parsed(text);
    ck_assert_msg(anypi_decision_hash(again) == anypi_decision_hash(decision), "%s", text);
    ck_assert_int_eq(strchr(text, '\n') != NULL, lines && decision->count > 0);
    anypi_decision_free(again);
    free(text);
}

static void check_valid(const char *path, void *state)
{
    int *files = state;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    char *text = NULL;          /* for other processes */
    const anyp_status status = anypi_decision_read_text(path, &decision, &text, &diagnosis);
    ck_assert_msg(status == ANYP_SUCCESS, "%s", diagnosis.text);
    ck_assert_int_eq(diagnosis.errors, 0);
    anypi_decision *other = parsed(text);
    ck_assert_uint_eq(anypi_decision_hash(other), anypi_decision_hash(decision));
    anypi_decision_free(other);
    anypi_free(text);
    assert_written_again(decision, false);
    assert_written_again(decision, true);
    anypi_decision_free(decision);
    ++*files;
}

START_TEST(valid_files)
{
    use_vocabulary(_i);
    int files = 0;
    each_file("decision/valid", check_valid, &files);
    ck_assert_int_ge(files, 12);
}
END_TEST

static void assert_unreadable(const char *path, const char *reason)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    ck_assert_int_eq(anypi_decision_read(path, &decision, &diagnosis), ANYP_ERR_FILE);
    ck_assert_int_eq(diagnosis.errors, 1);
    ck_assert_int_eq(diagnosis.line, 0);
    ck_assert_msg(strstr(diagnosis.text, reason) && strstr(diagnosis.text, "; expected "), "%s",
                  diagnosis.text);
    ck_assert_int_eq(strncmp(diagnosis.text, path, strlen(path)), 0);
}

START_TEST(files_that_are_none)
{
    char folder[] = "/tmp/anyp-test-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    assert_unreadable(folder, "it is a directory");
    snprintf(path, sizeof path, "%s/file", folder);
    assert_unreadable(path, "No such file or directory");
    assert_unreadable("", "No such file or directory");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    assert_unreadable(path, "it is not a regular file");
    unlink(path);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(ftruncate(fileno(file), (16 << 20) + 1), 0);
    fclose(file);
    assert_unreadable(path, "it is larger than 16 MiB");
    unlink(path);
    rmdir(folder);
}
END_TEST

/* A line of the listener per error: its number, line and path. */
static void hear(void *context, const anypi_diagnosis *error)
{
    char *heard = context;
    const size_t length = strlen(heard);
    snprintf(heard + length, 1024 - length, "%d:%d:%s;", error->errors, error->line, error->path);
}

static void check_several(const decision_input *input, void *state)
{
    char heard[1024] = "";
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    if (strcmp(input->name, "several.json"))
        return;
    ++*(int *) state;
    const input_file file = write_input(input);
    ck_assert_int_eq(anypi_decision_check(file.path, hear, heard, &decision, &diagnosis),
                     ANYP_ERR_FILE);
    remove_input(&file);
    ck_assert_int_eq(diagnosis.errors, 3);
    ck_assert_str_eq(heard, "1:1:collective=allreduce / comm_size<=x;"
                     "2:1:collective=allreduce / comm_sise<=8;3:2:collective=x;");
}

START_TEST(all_errors)
{
    use_vocabulary(_i);
    int found = 0;
    each_malformed(check_several, &found);
    ck_assert_int_eq(found, 1);
}
END_TEST

/* Chains and walks that MPICH's reader could not handle. */
START_TEST(too_much)
{
    use_vocabulary(_i);
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    size_t size = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "{\"collective=allreduce\": {");
    for (int i = 1; i <= ANYPI_MAX_KEYS + 1; i++)
        fprintf(file, "%s\"count<=%d\": {}", i > 1 ? "," : "", i);
    fprintf(file, "}}");
    fclose(file);
    ck_assert_int_eq(anypi_decision_parse(text, size, "text", &decision, &diagnosis),
                     ANYP_ERR_FILE);
    ck_assert_str_eq(diagnosis.text, "text:1:2: at collective=allreduce: this object has 1001 "
                     "keys; expected at most 1000");
    free(text);

    file = open_memstream(&text, &size);
    fprintf(file, "{\"collective=allreduce\": ");
    for (int i = 40; i > 30; i--)
        fprintf(file, "{\"comm_size<=%d\": ", i);
    fprintf(file, "{");
    for (int i = 1; i <= ANYPI_MAX_KEYS; i++)
        fprintf(file, "%s\"count<=%d\": {}", i > 1 ? "," : "", i);
    fprintf(file, "}");
    for (int i = 40; i > 30; i--)
        fprintf(file, "}");
    fprintf(file, "}");
    fclose(file);
    ck_assert_int_eq(anypi_decision_parse(text, size, "text", &decision, &diagnosis),
                     ANYP_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "would take too long"));
    free(text);
}
END_TEST

START_TEST(long_names)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    char name[2000], key[2000], text[2100];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memset(key, '1', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    snprintf(text, sizeof text, "{\"comm_size<=%s\": {}}", key);
    ck_assert_int_eq(anypi_decision_parse(text, strlen(text), name, &decision, &diagnosis),
                     ANYP_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "is not a whole number"));
    ck_assert_int_eq(strncmp(diagnosis.text, "...nnn", 6), 0);
}
END_TEST

/* ---- the vocabulary ---- */

/* Every algorithm of the registry can be named for every collective of its row, and every name of
 * the vocabulary is found again. */
START_TEST(vocabulary)
{
    use_vocabulary(_i);
    int count, ours = 0, expected = 0, words = 0;
    const anyp_algorithm *all = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < ANYP_COLLECTIVES; c++)
            expected += 2 * ((all[i].collectives & ANYP_IN_SET(c)) != 0);   /* in both forms */
    for (const anypi_alias *alias = anypi_aliases; alias->name; alias++)
        expected += __builtin_popcount(all[alias->algorithm].collectives);
    anypi_word word;
    char name[128];
    for (int i = 0; anypi_word_get(i, &word); i++, words++) {
        ck_assert_int_eq(anypi_word_find(anypi_word_name(&word, name, sizeof name)), i);
        ck_assert_int_ge(word.collective, 0);
        ours += word.algorithm != NULL;
    }
    ck_assert_int_eq(ours, expected);
    ck_assert_int_gt(words, ours + 100);
    ck_assert_int_eq(anypi_word_find("MPIR_Allreduce_intra_anyp_"), -1);
    ck_assert_int_ge(anypi_word_find("MPIR_Allreduce_intra_anyp_butterfly"), 0);
    ck_assert_int_ge(anypi_word_find("MPIR_Reduce_scatter_block_intra_anyp_circulant"), 0);
    ck_assert_int_ge(anypi_word_find("MPIR_Ireduce_scatter_block_intra_tsp_anyp_circulant"), 0);
    ck_assert_int_eq(anypi_word_find("MPIR_Iallreduce_intra_anyp_butterfly"), -1);
    ck_assert_int_eq(anypi_word_find("MPIR_Allreduce_intra_tsp_anyp_butterfly"), -1);
    ck_assert_int_lt(anypi_mpich_collective_find("allredce"), 0);
    /* Sets of collectives are bits of 64. */
    for (count = 0; anypi_mpich_collective(count); count++)
        ;
    ck_assert_int_le(count, 64);
    /* complete_rules.c writes "<=" for "<": the row in front. */
    for (int i = 0; i < anypi_keys_count; i++)
        if (anypi_keys[i].form == ANYPI_LESS) {
            ck_assert_int_eq(anypi_keys[i - 1].form, ANYPI_AT_MOST);
            ck_assert_int_eq(anypi_keys[i - 1].variable, anypi_keys[i].variable);
        }
}
END_TEST

/* ---- selection ---- */

static void choose(const anypi_decision *decision, const anypi_signature *signature,
                   anypi_choice *choice)
{
    ck_assert_int_eq(anypi_decision_select(decision, signature, choice), ANYP_SUCCESS);
}

START_TEST(rules_that_fire)
{
    use_vocabulary(_i);
    anypi_decision *decision = parsed(
        "{'comm_type=intra': {'collective=allreduce': {"
        "  'comm_size<8': {},"
        "  'is_commutative=no': {"
        "    'algorithm=MPIR_Allreduce_intra_anyp_butterfly': {'threshold=0': {}}},"
        "  'avg_msg_size<=2048': {'algorithm=MPIR_Allreduce_intra_anyp_gather_reduce': {}},"
        "  'avg_msg_size=any': {"
        "    'count<pow2': {'algorithm=MPIR_Allreduce_intra_recursive_doubling': {}},"
        "    'count=any': {"
        "      'algorithm=MPIR_Allreduce_intra_anyp_circulant': {'skips=linear': {}}}}}}}");
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, "allreduce", 13, 1 << 20, 8);
    choose(decision, &signature, &choice);
    ck_assert_str_eq(choice.name, "MPIR_Allreduce_intra_anyp_circulant");
    ck_assert_ptr_eq(choice.algorithm, anyp_algorithm_find("circulant"));
    ck_assert_int_eq(choice.parameters[0], 3);
    ck_assert(!choice.hole);
    ck_assert_str_eq(choice.path, "comm_type=intra / collective=allreduce / avg_msg_size=any / "
                     "count=any");
    signature.commutative = false;
    choose(decision, &signature, &choice);
    ck_assert_str_eq(choice.name, "MPIR_Allreduce_intra_anyp_butterfly");
    ck_assert_int_eq(choice.parameters[0], 0);
    signature.commutative = true;
    signature.p = 7;
    choose(decision, &signature, &choice);
    ck_assert(choice.hole);
    ck_assert_str_eq(choice.name, "");
    ck_assert_ptr_null(choice.algorithm);
    ck_assert_str_eq(choice.path, "comm_type=intra / collective=allreduce / comm_size<8");
    anypi_signature_init(&signature, "allreduce", 100, 5, 1024);
    choose(decision, &signature, &choice);
    ck_assert_str_eq(choice.name, "MPIR_Allreduce_intra_recursive_doubling");
    ck_assert_ptr_null(choice.algorithm);
    ck_assert(!choice.hole);
    signature.count = 63;
    choose(decision, &signature, &choice);
    ck_assert_str_eq(choice.name, "MPIR_Allreduce_intra_recursive_doubling");
    signature.count = 64;
    choose(decision, &signature, &choice);
    ck_assert_str_eq(choice.name, "MPIR_Allreduce_intra_anyp_circulant");
    anypi_signature_init(&signature, "reduce", 100, 5, 1024);
    choose(decision, &signature, &choice);
    ck_assert(choice.hole);
    signature.collective = "allredce";
    ck_assert_int_eq(anypi_decision_select(decision, &signature, &choice), ANYP_ERR_ARGUMENT);
    anypi_decision_free(decision);
}
END_TEST

/* Only the rule that fires is taken out; what is written then is read as the same rules. */
START_TEST(rules_taken_out)
{
    use_vocabulary(_i);
    anypi_decision *decision = parsed(
        "{'collective=allreduce': {"
        "  'comm_size<=8': {'algorithm=MPIR_Allreduce_intra_anyp_butterfly': {'threshold=0': {}}},"
        "  'comm_size=any': {"
        "    'avg_msg_size<=2048': {'algorithm=MPIR_Allreduce_intra_anyp_gather_reduce': {}},"
        "    'avg_msg_size=any': {'algorithm=MPIR_Allreduce_intra_anyp_circulant': {}}}}}");
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, "allreduce", 13, 16, 8);
    ck_assert(anypi_decision_remove(decision, &signature, NULL));
    choose(decision, &signature, &choice);
    ck_assert(choice.hole);
    ck_assert_str_eq(choice.path, "collective=allreduce / comm_size=any / avg_msg_size<=2048");
    ck_assert(!anypi_decision_remove(decision, &signature, NULL));
    assert_written_again(decision, true);
    signature.avg_msg_size = 4096;
    choose(decision, &signature, &choice);
    ck_assert_ptr_eq(choice.algorithm, anyp_algorithm_find("circulant"));
    signature.p = 8;
    choose(decision, &signature, &choice);
    ck_assert_ptr_eq(choice.algorithm, anyp_algorithm_find("butterfly"));
    signature.collective = "reduce";
    ck_assert(!anypi_decision_remove(decision, &signature, NULL));
    signature.collective = "allredce";
    ck_assert(!anypi_decision_remove(decision, &signature, NULL));
    anypi_decision_free(decision);
}
END_TEST

/* A rule that is taken out for some sizes, or numbers of processes, stays for the others, also if
 * it happens again. */
START_TEST(rules_taken_out_in_part)
{
    use_vocabulary(_i);
    static const char *const collectives[] = { "allreduce", "bcast", "alltoall", "gather" };
    enum { SIZES = 10, PROCS = 6 };
    for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++) {
        char text[256];
        snprintf(text, sizeof text, "{'collective=%s': {'algorithm=MPIR_%c%s_intra_anyp_%s': {}}}",
                 collectives[c], collectives[c][0] - 'a' + 'A', collectives[c] + 1,
                 c < 2 ? "exchange" : c == 2 ? "multiport" : "binomial");
        anypi_decision *decision = parsed(text);
        anypi_signature calls[PROCS][SIZES];
        bool hole[PROCS][SIZES] = { { false } };
        for (int p = 0; p < PROCS; p++)
            for (int i = 0; i < SIZES; i++)
                anypi_signature_init(&calls[p][i], collectives[c], 3 + p, 840 << i, 8);
        static const struct { int p, fewer, more, at, shorter, longer; } cuts[] = {
            { 2, 1, 4, 3, 2, 5 }, { 3, 2, 5, 7, 6, 8 }, { 0, -1, 1, 0, -1, 1 },
            { 5, 4, -1, 9, 8, -1 }, { 1, 0, 2, 4, -1, -1 },
        };
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            const int fewer = cuts[k].fewer, more = cuts[k].more < 0 ? PROCS : cuts[k].more;
            const int shorter = cuts[k].shorter;
            const int longer = cuts[k].longer < 0 ? SIZES : cuts[k].longer;
            const anypi_signature *its = calls[cuts[k].p];
            const anypi_neighbours keep = {
                .fewer = fewer < 0 ? NULL : &calls[fewer][cuts[k].at],
                .more = more == PROCS ? NULL : &calls[more][cuts[k].at],
                .shorter = shorter < 0 ? NULL : &its[shorter],
                .longer = longer == SIZES ? NULL : &its[longer]
            };
            ck_assert(anypi_decision_remove(decision, &its[cuts[k].at], &keep));
            ck_assert(!anypi_decision_remove(decision, &its[cuts[k].at], &keep));
            hole[cuts[k].p][cuts[k].at] = true;
            for (int p = 0; p < PROCS; p++)
                for (int i = 0; i < SIZES; i++) {
                    anypi_choice choice;
                    choose(decision, &calls[p][i], &choice);
                    /* between what stays, the rule may be lost; other p have other blocks */
                    const bool between = p > fewer && p < more &&
                        (p != cuts[k].p || (i > shorter && i < longer));
                    ck_assert_msg(choice.hole || !hole[p][i], "%s", choice.path);
                    ck_assert_msg(!choice.hole || hole[p][i] || between, "%s", choice.path);
                    hole[p][i] = choice.hole;
                }
            assert_written_again(decision, true);
        }
        anypi_decision_free(decision);
    }
}
END_TEST

/* The choice for `collective` at p = 13, 8 KiB, which must be of this rule and name ("": a hole).
 * */
static void assert_choice(const anypi_decision *decision, const char *collective,
                          const char *path, const char *name)
{
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, collective, 13, 1024, 8);
    choose(decision, &signature, &choice);
    ck_assert_str_eq(choice.name, name);
    ck_assert_str_eq(choice.path, path);
    ck_assert_int_eq(choice.hole, !*name);
}

/* A rule holds for the nonblocking form of its collective, unless the file has rules for that. */
START_TEST(nonblocking_forms)
{
    use_vocabulary(_i);
    anypi_decision *decision = parsed(
        "{'comm_size<=64': {"
        "  'collective=allreduce': {"
        "    'avg_msg_size<=4096': {'algorithm=MPIR_Allreduce_intra_recursive_doubling': {}},"
        "    'avg_msg_size=any': {'algorithm=MPIR_Allreduce_intra_anyp_elimination': {}}},"
        "  'collective=reduce': {'algorithm=MPIR_Reduce_intra_anyp_exchange': {'radix=3': {}}},"
        "  'collective=reduce_scatter': {'algorithm=MPIR_Reduce_scatter_intra_anyp_exchange': {}},"
        "  'collective=reduce_scatter_block': {"
        "    'algorithm=MPIR_Reduce_scatter_block_intra_recursive_doubling': {}},"
        "  'collective=ireduce_scatter': {}},"
        " 'collective=ireduce': {"
        "    'algorithm=MPIR_Ireduce_intra_tsp_anyp_gather_reduce': {}}}");
    assert_choice(decision, "allreduce", "comm_size<=64 / collective=allreduce / avg_msg_size=any",
                  "MPIR_Allreduce_intra_anyp_butterfly");
    assert_choice(decision, "iallreduce", "comm_size<=64 / collective=allreduce / avg_msg_size=any",
                  "MPIR_Iallreduce_intra_tsp_anyp_butterfly");
    assert_choice(decision, "reduce", "comm_size<=64 / collective=reduce",
                  "MPIR_Reduce_intra_anyp_exchange");
    assert_choice(decision, "ireduce", "comm_size<=64", "");    /* it never leaves that branch */
    assert_choice(decision, "ireduce_scatter", "comm_size<=64 / collective=ireduce_scatter", "");
    /* MPICH's own algorithm has no form that AnyP knows to be the same */
    assert_choice(decision, "ireduce_scatter_block",
                  "comm_size<=64 / collective=reduce_scatter_block", "");
    anypi_decision_free(decision);
}
END_TEST

/* An alias is chosen, and written for MPICH, as what it means. */
START_TEST(aliases)
{
    use_vocabulary(_i);
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    ck_assert_ptr_nonnull(anypi_aliases[0].name);
    for (const anypi_alias *alias = anypi_aliases; alias->name; alias++)
        for (int c = 0; c < ANYP_COLLECTIVES; c++) {
            const anyp_algorithm *meant = &all[alias->algorithm];
            const char *collective = anyp_collective_name((anyp_collective) c), *reason;
            char text[256], wanted[128], *complete;
            int parameters[ANYP_MAX_PARAMETERS];
            anypi_signature signature;
            anypi_choice choice;
            if (!(meant->collectives & ANYP_IN_SET(c)))
                continue;
            ck_assert_ptr_null(anyp_algorithm_find(alias->name));
            anyp_parameters_default(meant, parameters);
            ck_assert_int_eq(anyp_parameter_set(meant, parameters, alias->parameter, alias->value,
                                                &reason), ANYP_SUCCESS);
            snprintf(text, sizeof text, "{'collective=%s': {'algorithm=MPIR_%c%s_intra_anyp_%s': "
                     "{}}}", collective, collective[0] - 'a' + 'A', collective + 1, alias->name);
            snprintf(wanted, sizeof wanted, "MPIR_%c%s_intra_anyp_%s", collective[0] - 'a' + 'A',
                     collective + 1, meant->name);
            anypi_decision *decision = parsed(text);
            anypi_signature_init(&signature, collective, 7, 1000, 8);
            choose(decision, &signature, &choice);
            ck_assert_str_eq(choice.name, wanted);
            ck_assert_ptr_eq(choice.algorithm, meant);
            ck_assert_mem_eq(choice.parameters, parameters,
                             (size_t) meant->parameters_count * sizeof *parameters);
            if (c == ANYP_ALLREDUCE) {  /* which the defaults know */
                char *defaults = file_text(TEST_DIRECTORY "/decision/defaults.json", NULL);
                ck_assert_int_eq(anypi_decision_complete(decision, defaults, false, &complete),
                                 ANYP_SUCCESS);
                ck_assert_ptr_nonnull(strstr(complete, wanted));
                ck_assert_ptr_null(strstr(complete, alias->name));
                snprintf(wanted, sizeof wanted, "\"%s=%s\":{}", alias->parameter, alias->value);
                ck_assert_ptr_nonnull(strstr(complete, wanted));
                anypi_free(complete);
                free(defaults);
            }
            anypi_decision_free(decision);
        }
}
END_TEST

/* An intracommunicator's algorithm does not serve an intercommunicator. */
START_TEST(kinds)
{
    use_vocabulary(_i);
    anypi_decision *decision = parsed(
        "{\"collective=reduce\": {\"algorithm=MPIR_Reduce_intra_binomial\": {}},"
        " \"collective=bcast\": {\"algorithm=MPIR_Bcast_allcomm_nb\": {}}}");
    anypi_signature signature;
    anypi_choice choice;
    anypi_signature_init(&signature, "reduce", 4, 1, 1);
    choose(decision, &signature, &choice);
    ck_assert(!choice.hole);
    signature.inter = true;
    choose(decision, &signature, &choice);
    ck_assert(choice.hole);
    signature.collective = "bcast";
    choose(decision, &signature, &choice);
    ck_assert(!choice.hole);
    anypi_decision_free(decision);
}
END_TEST

START_TEST(sizes_of_situations)
{
    static const struct {
        const char *collective;
        int64_t avg, total, count;
    } rows[] = {                /* p = 4, 1000 elements of 8 bytes */
        { "allreduce", 8000, 32000, 1000 },
        { "ireduce", 8000, 32000, 1000 },
        { "reduce_scatter", 8000, 8000, 1000 },
        { "reduce_scatter_block", 2000, 8000, 250 },
        { "ireduce_scatter_block", 2000, 8000, 250 },
        { "allgather", 2000, 8000, 250 },
        { "alltoall", 2000, 8000, 250 },
        { "gather", 8000, 8000, 1000 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        anypi_signature signature;
        anypi_signature_init(&signature, rows[i].collective, 4, 1000, 8);
        ck_assert_int_eq(signature.avg_msg_size, rows[i].avg);
        ck_assert_int_eq(signature.total_msg_size, rows[i].total);
        ck_assert_int_eq(signature.count, rows[i].count);
    }
}
END_TEST

/* Rules by the levels of a machine. */
START_TEST(levels)
{
    use_vocabulary(_i);
    static const struct {
        const char *shape, *path;
    } rows[] = {
        { "12", "comm_levels<=0" }, { "12x1", "comm_levels<=0" }, { "3x4", "comm_levels<=1" },
        { "3x(4x1)", "comm_levels<=1" }, { "2x(3x2)", "comm_levels<=2" },
        { "2x(2x(3x1))", "comm_levels<=2" }, { "2x(2x(3x2))", "comm_size=any" },
    };
    anypi_decision *decision = parsed("{'collective=allreduce': {'comm_levels<=0': {}, "
                                      "'comm_levels<=1': {}, 'comm_levels<=2': {}, "
                                      "'comm_size=any': {}}}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *reason;
        char path[64];
        anypi_signature signature;
        anypi_choice choice;
        anyp_shape *shape = anypi_shape_read(rows[i].shape, 0, &reason);
        ck_assert_ptr_nonnull(shape);
        anypi_signature_init(&signature, "allreduce", anypi_shape_ranks(shape), 100, 8);
        anypi_signature_nodes(&signature, shape);
        choose(decision, &signature, &choice);
        snprintf(path, sizeof path, "collective=allreduce / %s", rows[i].path);
        ck_assert_msg(!strcmp(choice.path, path), "%s: %s", rows[i].shape, choice.path);
        anypi_shape_free(shape);
    }
    anypi_decision_free(decision);
}
END_TEST

/* Rules by the memory of the data, and whether a walk arrives at one. */
START_TEST(memory)
{
    use_vocabulary(_i);
    static const struct {
        int p;
        bool device, by_memory;
        const char *path;
    } rows[] = {
        { 2, false, false, "comm_size<=2" }, { 2, true, false, "comm_size<=2" },
        { 3, false, false, "comm_size<=3 / memory=any" },
        { 4, true, true, "memory=device" }, { 4, false, true, "memory=host / comm_size<=4" },
        { 5, false, true, "memory=host" },
    };
    for (int c = 0; c < ANYP_COLLECTIVES; c++) {
        const char *const names[] = { anyp_collective_name(c), anypi_collectives[c].nonblocking };
        for (size_t k = 0; k < 2 * (sizeof rows / sizeof *rows); k++) {
            char text[256], path[128];
            anypi_signature signature;
            anypi_choice choice;
            const size_t i = k / 2;
            snprintf(text, sizeof text, "{'collective=%s': {'comm_size<=2': {}, 'comm_size<=3': "
                     "{'memory=any': {}}, 'memory=device': {}, 'memory=host': {'comm_size<=4': {}"
                     "}}}", names[k % 2]);
            anypi_decision *decision = parsed(text);
            ck_assert(anypi_decision_asks_memory(decision));
            anypi_signature_init(&signature, names[k % 2], rows[i].p, 120, 8);
            signature.device = rows[i].device;
            choose(decision, &signature, &choice);
            snprintf(path, sizeof path, "collective=%s / %s", names[k % 2], rows[i].path);
            ck_assert_str_eq(choice.path, path);
            ck_assert_int_eq(choice.by_memory, rows[i].by_memory);
            anypi_decision_free(decision);
        }
    }
    anypi_decision *decision = parsed("{'collective=bcast': {'memory=any': {}}}");
    ck_assert(!anypi_decision_asks_memory(decision));
    anypi_decision_free(decision);
}
END_TEST

/* AnyP's algorithms are refused where the data of a reduction are in device memory. */
START_TEST(reductions_in_device_memory)
{
    use_vocabulary(_i);
    static const char *const chains[] = {
        "'memory=device': {%s}", "'memory=host': {}, 'comm_size=any': {%s}",
    };
    for (int c = 0; c < ANYP_COLLECTIVES; c++)
        for (int i = 0; i < 2; i++) {
            char text[256], rule[128];
            anypi_decision *decision = NULL;
            anypi_diagnosis diagnosis;
            int count;
            const char *name = anyp_collective_name(c);
            const anyp_algorithm *algorithm = anyp_algorithms(&count);
            while (!(algorithm->collectives & ANYP_IN_SET(c)))
                algorithm++;
            snprintf(rule, sizeof rule, "'algorithm=MPIR_%c%s_intra_anyp_%s': {}",
                     name[0] - 'a' + 'A', name + 1, algorithm->name);
            int length = snprintf(text, sizeof text, "{'collective=%s': {", name);
            length += snprintf(text + length, sizeof text - (size_t) length, chains[i], rule);
            snprintf(text + length, sizeof text - (size_t) length, "}}");
            const anyp_status status = anypi_decision_parse(text, strlen(text), "text", &decision,
                                                            &diagnosis);
            ck_assert_msg(status == (anypi_moves(c) ? ANYP_SUCCESS : ANYP_ERR_FILE), "%s", text);
            if (status == ANYP_SUCCESS)
                anypi_decision_free(decision);
            else
                ck_assert_ptr_nonnull(strstr(diagnosis.text, "does not reduce data in device"));
        }
}
END_TEST

/* ---- hashes ---- */

static uint64_t hash_of(const char *text)
{
    anypi_decision *decision = parsed(text);
    const uint64_t hash = anypi_decision_hash(decision);
    anypi_decision_free(decision);
    return hash;
}

/* The hash in another process, which has read no list yet. */
static uint64_t hash_elsewhere(const char *text)
{
    int ends[2];
    uint64_t hash = 0;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        hash = hash_of(text);
        _exit(write(ends[1], &hash, sizeof hash) != sizeof hash);
    }
    ck_assert_int_eq(read(ends[0], &hash, sizeof hash), sizeof hash);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
    return hash;
}

/* The numbers that represent lists differ between processes: the first list that a process reads
 * gets the first one. Hashes must not depend on them, since ranks compare hashes. */
START_TEST(hashes_of_lists)
{
    use_vocabulary(_i);
    static const char *const lists[] = {
        "{\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_anyp_circulant\":"
        "{\"skips=3,2,1\": {}}}}",
        "{\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_anyp_circulant\":"
        "{\"skips=2,1\": {}}}}",
    };
    const uint64_t first = hash_elsewhere(lists[0]), second = hash_elsewhere(lists[1]);
    ck_assert_uint_ne(first, second);
    ck_assert_uint_eq(hash_of(lists[0]), first);
    ck_assert_uint_eq(hash_of(lists[1]), second);
}
END_TEST

START_TEST(hashes)
{
    use_vocabulary(_i);
    static const char *const different[] = {
        "{}",
        "{\"collective=allreduce\": {}}",
        "{\"collective=reduce\": {}}",
        "{\"collective=allreduce\": {\"comm_size<=8\": {}}}",
        "{\"collective=allreduce\": {\"comm_size<=9\": {}}}",
        "{\"collective=allreduce\": {\"comm_size<=8\": {}, \"comm_size<=9\": {}}}",
        "{\"collective=allreduce\": {\"comm_size<=9\": {\"comm_size<=8\": {}}}}",
        "{\"collective=allreduce\": {\"comm_size<=8\": {\"comm_avg_ppn<=9\": {}}}}",
        "{\"collective=allreduce\": {\"comm_size<=8\": {}, \"comm_avg_ppn<=9\": {}}}",
        "{\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_anyp_butterfly\": {}}}",
        ("{\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_anyp_butterfly\":"
         "{\"threshold=1\": {}}}}"),
        "{\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_anyp_circulant\": {}}}",
    };
    const int count = sizeof different / sizeof *different;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            ck_assert_uint_ne(hash_of(different[i]), hash_of(different[j]));
    ck_assert_uint_eq(hash_of("{\"collective=allreduce\": {\"comm_size<=8\": {}}}"),
                      hash_of("/* c */ {'collective = allreduce':\n{\"comm_size<=08\":{}}} // c"));
    ck_assert_uint_eq(hash_of("{\"collective=allreduce\": {"
                              "\"algorithm=MPIR_Allreduce_intra_anyp_circulant\": {}}}"),
                      hash_of("{\"collective=allreduce\": {"
                              "\"algorithm=MPIR_Allreduce_intra_anyp_circulant\":"
                              "{\"skips=halving\": {}}}}"));
}
END_TEST

Suite *suite_decision(void)
{
    TCase *tests;
    const int count = vocabularies();
    Suite *suite = suite_of("decision", &tests);
    tcase_add_loop_test(tests, malformed_files, 0, count);
    tcase_add_loop_test(tests, valid_files, 0, count);
    tcase_add_test(tests, files_that_are_none);
    tcase_add_loop_test(tests, all_errors, 0, count);
    tcase_add_loop_test(tests, too_much, 0, count);
    tcase_add_test(tests, long_names);
    tcase_add_loop_test(tests, vocabulary, 0, count);
    tcase_add_loop_test(tests, rules_that_fire, 0, count);
    tcase_add_loop_test(tests, levels, 0, count);
    tcase_add_loop_test(tests, memory, 0, count);
    tcase_add_loop_test(tests, reductions_in_device_memory, 0, count);
    tcase_add_loop_test(tests, rules_taken_out, 0, count);
    tcase_add_loop_test(tests, rules_taken_out_in_part, 0, count);
    tcase_add_loop_test(tests, nonblocking_forms, 0, count);
    tcase_add_loop_test(tests, aliases, 0, count);
    tcase_add_loop_test(tests, kinds, 0, count);
    tcase_add_test(tests, sizes_of_situations);
    tcase_add_loop_test(tests, hashes, 0, count);
    tcase_add_loop_test(tests, hashes_of_lists, 0, count);
    return suite;
}
