/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_vocabulary.c - vocabularies of MPICH's names: wrong tables, which table is selected, and the
 * names that a program accepts if it leaves MPICH's own algorithms to its library.
 */
#include "unit/common.h"

#include "schedule/memory.h"
#include "select/decision.h"
#include "select/text.h"
#include "select/vocabulary.h"
#include "unit/files.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { message_size = 2 * PATH_MAX };

/* A folder to write into, and a file in it. */
static char folder[] = "/tmp/anyp-test-XXXXXX", file[64];

static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/table.json", folder);
}

static void remove_folder(void)
{
    unlink(file);
    rmdir(folder);
}

static void write_file(const char *text, size_t length)
{
    FILE *out = fopen(file, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, length, out), length);
    ck_assert_int_eq(fclose(out), 0);
}

static anyp_status read_text(const char *text, anypi_decision **decision,
                             anypi_diagnosis *diagnosis)
{
    return anypi_decision_parse(text, strlen(text), "text", decision, diagnosis);
}

/* Is the vocabulary of mpich.def in force, and does it work? */
static void assert_built_in(void)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    const char *now = anypi_mpich_now()->release;
    anypi_mpich_use(NULL);
    ck_assert_ptr_eq(now, anypi_mpich_now()->release);
    ck_assert_int_eq(read_text("{\"collective=gather\": {\"algorithm=MPIR_Gather_intra_binomial\": "
                               "{}}}", &decision, &diagnosis), ANYP_SUCCESS);
    anypi_decision_free(decision);
}

/* Opens `where`, another vocabulary being in force: it must be refused, with the reason. `what`
 * describes it if the test fails. */
static void assert_refused(const char *where, const char *reason, const char *what)
{
    char message[message_size] = "";
    use_vocabulary(1);
    ck_assert_msg(anypi_mpich_open(where, message, sizeof message) == ANYP_ERR_FILE, "%s is taken",
                  what);
    ck_assert_msg(strstr(message, reason), "%s", message);
    ck_assert_int_eq(strncmp(message, where, strlen(where)), 0);
    ck_assert_ptr_null(strchr(message, '\n'));
    assert_built_in();
}

/* ---- tables ---- */

static const char small[] =
    "{\"mpich\": \"9.8.7\", \"hierarchies\": 2,"
    " \"collectives\": [\"allreduce\", \"reduce\", \"reduce_scatter\", \"reduce_scatter_block\","
    " \"scan\", \"exscan\", \"iscan\", \"iexscan\","
    " \"barrier\", \"ibarrier\", \"alltoallv\", \"alltoallw\", \"gatherv\", \"scatterv\","
    " \"ialltoallv\", \"ialltoallw\", \"igatherv\", \"iscatterv\","
    " \"bcast\", \"allgather\", \"allgatherv\", \"gather\", \"scatter\", \"alltoall\","
    " \"iallreduce\", \"ireduce\", \"ireduce_scatter\", \"ireduce_scatter_block\","
    " \"ibcast\", \"iallgather\", \"iallgatherv\", \"igather\", \"iscatter\", \"ialltoall\"],"
    " \"conditions\": ["
#define ANYPI_KEY(variable, form, text, mask) "\"" text "\", "
#include "select/conditions.def"
    "\"weather=\"],"
    " \"defined\": {\"count\": [\"allreduce\"]},"
    " \"values\": {\"colour\": [\"red\", \"blue\"]},"
    " \"algorithms\": [{\"name\": \"MPIR_Allreduce_intra_new\", \"collective\": \"allreduce\","
    " \"kind\": \"intra\", \"parameters\": [\"colour\"], \"optional\": [\"k\"],"
    " \"variables\": [\"MPIR_CVAR_COLOUR\"], \"needs\": [\"commutative\"],"
    " \"unusable\": \"\"}]}";

/* The small table with a part replaced, as a file. */
static void write_changed(const char *old, const char *new)
{
    char text[4096];
    const char *at = strstr(small, old);
    ck_assert_msg(at != NULL, "%s", old);
    const int length = snprintf(text, sizeof text, "%.*s%s%s", (int) (at - small), small, new,
                                at + strlen(old));
    ck_assert_int_lt(length, (int) sizeof text);
    write_file(text, (size_t) length);
}

#define LETTERS_50 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee"
#define FIVE "\"a\", \"b\", \"c\", \"d\", \"e\""

START_TEST(tables_that_are_none)
{
    static const struct {
        const char *old, *new;
    } changes[] = {
        { "{\"mpich\"", "\"mpich\"" },
        { "\"mpich\": \"9.8.7\", ", "" },
        { "\"9.8.7\"", "9.8" },
        { "\"9.8.7\"", "\"\"" },
        { "\"9.8.7\"", "null" },
        { "\"9.8.7\"", "\"" LETTERS_50 LETTERS_50 "9\"" },
        { "\"hierarchies\"", "\"kinds\"" },
        { ": 2", ": 3" },
        { ": 2", ": \"2\"" },
        { "\"collectives\"", "\"names\"" },
        { "[\"allreduce\", \"reduce\",", "[\"allreduce\", \"re|duce\", \"reduce\"," },
        { "[\"allreduce\", \"reduce\",", "[\"allreduce\", 1, \"reduce\"," },
        { "[\"allreduce\", \"reduce\",", "[\"allreduce\", \"\", \"reduce\"," },
        { "[\"allreduce\", \"reduce\",", "[\"allreduce\"," },      /* AnyP has it */
        { "\"ireduce\",", "" },
        { "\"collectives\": [", "\"collectives\": [], \"others\": [" },
        { "\"conditions\"", "\"keys\"" },
        { "\"conditions\": [", "\"conditions\": [], \"others\": [" },
        { "\"conditions\": [", "\"conditions\": \"collective=\", \"others\": [" },
        { "\"conditions\": [", "\"conditions\": [[\"collective=\"], " },
        { "\"comm_size<=\"", "\"comm_size>\"" },        /* AnyP writes it */
        { "\"is_commutative=no\"", "\"weather=\"" },
        { "\"defined\"", "\"knows\"" },
        { "{\"count\": [\"allreduce\"]}", "[\"count\"]" },
        { "{\"count\": [\"allreduce\"]}", "{\"count\": \"allreduce\"}" },
        { "{\"count\": [\"allreduce\"]}", "{\"count\": null}" },
        { "\"values\"", "\"names\"" },
        { "[\"red\", \"blue\"]", "[]" },
        { "[\"red\", \"blue\"]", "\"red\"" },
        { "[\"red\", \"blue\"]", "[1, 2]" },
        { "{\"colour\": [\"red\", \"blue\"]}", "[\"red\", \"blue\"]" },
        { "\"algorithms\"", "\"rules\"" },
        { "[{\"name\"", "[7, {\"name\"" },
        { "[{\"name\"", "[{}, {\"name\"" },
        { "[{\"name\"", "[null, {\"name\"" },
        { "\"name\": \"MPIR_Allreduce_intra_new\", ", "" },
        { "MPIR_Allreduce_intra_new", LETTERS_50 LETTERS_50 "f" },
        { "\"collective\": \"allreduce\"", "\"collective\": \"sendrecv\"" },
        { "\"collective\": \"allreduce\"", "\"collective\": 1" },
        { "\"kind\": \"intra\"", "\"kind\": \"both\"" },
        { "\"kind\": \"intra\"", "\"kind\": \"\"" },
        { "\"kind\": \"intra\", ", "" },
        { "[\"colour\"]", "\"colour\"" },
        { "[\"colour\"]", "[\"colour\", 3]" },
        { "[\"k\"]", "{\"k\": {}}" },
        { "[\"MPIR_CVAR_COLOUR\"]", "[\"\"]" },
        { "[\"commutative\"]", "\"commutative\"" },
        { "\"unusable\": \"\"", "\"unusable\": true" },
        { "[\"colour\"], \"optional\": [\"k\"]",
          "[" FIVE "], \"optional\": [\"f\", \"g\", \"h\", \"k\"]" },
    };
    make_folder();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        write_changed(changes[i].old, changes[i].new);
        assert_refused(file, "is not a table of MPICH's names", changes[i].new);
    }
    remove_folder();
}
END_TEST

/* Looks up all words and reads a file, so that a bad table would be noticed. */
static void use_all(const char *rules)
{
    anypi_word word;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    char name[128];
    for (int i = 0; anypi_word_get(i, &word); i++)
        ck_assert_ptr_nonnull(anypi_word_name(&word, name, sizeof name));
    const anyp_status status = read_text(rules, &decision, &diagnosis);
    ck_assert_msg(status == ANYP_SUCCESS, "%s", diagnosis.text);
    anypi_decision_free(decision);
}

START_TEST(tables_that_hold)
{
    static const struct {
        const char *old, *new, *rules;
    } changes[] = {
        { "{", "{", "{\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_new\": "
          "{\"colour=blue\": {}, \"k=2\": {}}}}" },
        { "\"optional\": [\"k\"], ", "", "{\"comm_size<=8\": {}}" },
        { "\"variables\": [\"MPIR_CVAR_COLOUR\"], ", "", "{}" },
        { "\"commutative\"", "\"perfect\"", "{\"collective=allreduce\": {\"algorithm="
          "MPIR_Allreduce_intra_new\": {\"colour=red\": {}}}}" },
        { "{\"colour\": [\"red\", \"blue\"]}", "{}", "{\"collective=allreduce\": {\"algorithm="
          "MPIR_Allreduce_intra_new\": {\"colour=1\": {}}}}" },
        { "{\"count\": [\"allreduce\"]}", "{}", "{}" },
        { "{\"count\": [\"allreduce\"]}", "{\"count\": [\"never\"], \"x\": []}", "{}" },
        { "[{\"name\"", "[], \"others\": [{\"name\"", "{\"collective=allreduce\": {\"algorithm="
          "MPIR_Allreduce_intra_anyp_butterfly\": {}}}" },
        { "\"k\"", "\"" LETTERS_50 LETTERS_50 "\"", "{}" },
        { "[\"colour\"]", "[\"colour\", " FIVE ", \"f\"]", "{}" },
    };
    char message[message_size];
    make_folder();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        write_changed(changes[i].old, changes[i].new);
        ck_assert_msg(anypi_mpich_open(file, message, sizeof message) == ANYP_SUCCESS,
                      "%s is refused", changes[i].new);
        ck_assert_str_eq(anypi_mpich_now()->release, "9.8.7");
        use_all(changes[i].rules);
    }
    remove_folder();
}
END_TEST

/* 63 collectives are the most: facts are bits. */
START_TEST(many_collectives)
{
    enum { OTHERS = 63 - 2 * ANYP_COLLECTIVES };
    char names[2048] = "\"collectives\": [", message[message_size], rules[128];
    make_folder();
    for (int i = 0; i < OTHERS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "\"c%d\", ", i);
    write_changed("\"collectives\": [", names);
    ck_assert_int_eq(anypi_mpich_open(file, message, sizeof message), ANYP_SUCCESS);
    snprintf(rules, sizeof rules, "{\"collective=c%d\": {\"comm_size<=8\": {}}, "
             "\"collective=reduce\": {}}", OTHERS - 1);
    use_all(rules);
    strcat(names, "\"more\", ");
    write_changed("\"collectives\": [", names);
    assert_refused(file, "is not a table of MPICH's names", names);
    remove_folder();
}
END_TEST

START_TEST(tables_cut_short)
{
    char path[PATH_MAX];
    size_t length;
    make_folder();
    for (size_t end = 0; end < strlen(small); end++) {
        write_file(small, end);
        assert_refused(file, "is not a table", "a part");
    }
    table_path(1, path, sizeof path);
    char *text = file_text(path, &length);
    length -= strspn(text + length - 2, "}\n");        /* the last brace */
    for (size_t end = length - 1; end > 0; end -= end > 200 ? 101 : 1) {
        write_file(text, end);
        assert_refused(file, "is not a table", "a part");
    }
    free(text);
    remove_folder();
}
END_TEST

START_TEST(no_memory)
{
    char path[PATH_MAX], message[message_size];
    long failures = 0;
    table_path(1, path, sizeof path);
    for (;; failures++) {
        use_vocabulary(1);
        anypi_fail_allocation(failures);
        const anyp_status status = anypi_mpich_open(path, message, sizeof message);
        anypi_fail_allocation(-1);
        if (status == ANYP_SUCCESS)
            break;
        ck_assert_int_eq(status, ANYP_ERR_MEMORY);
        assert_built_in();
    }
    ck_assert_int_ge(failures, 2);
}
END_TEST

/* The rest of AnyP understands the tables of AnyP. */
START_TEST(tables_of_ours)
{
    char path[PATH_MAX], name[64];
    use_vocabulary(_i);
    const anypi_mpich *mpich = anypi_mpich_now();
    if (_i > 0) {
        table_path(_i, path, sizeof path);
        const char *release = strrchr(path, '/') + 1;
        const size_t length = strlen(release) - strlen(".json");
        ck_assert_int_eq(strncmp(mpich->release, release, length), 0);
        ck_assert_int_eq(mpich->release[length], '.');
    }
    for (int i = 0; anypi_list_get(mpich->conditions, i, name, sizeof name); i++) {
        int known = 0;
        for (int key = 0; key < anypi_keys_count; key++)
            known += !strcmp(anypi_keys[key].text, name);
        ck_assert_msg(known == 1, "%s", name);
    }
    for (int i = 0; mpich->defined[i].name; i++) {
        int known = 0;
        for (int v = 0; v < ANYPI_VARIABLES; v++)
            known += !strcmp(anypi_variables[v].defined, mpich->defined[i].name);
        ck_assert_msg(known > 0, "%s", mpich->defined[i].name);
        for (int n = 0; anypi_list_get(mpich->defined[i].text, n, name, sizeof name); n++)
            ck_assert_msg(anypi_mpich_collective_find(name) >= 0, "%s", name);
    }
    for (int i = 0; i < mpich->algorithms_count; i++) {
        static const char *const kinds[] = { "", "_intra_", "_inter_", "_allcomm_" };
        const anypi_mpich_algorithm *own = &mpich->algorithms[i];
        const char *collective = mpich->collectives[own->collective];
        bool holds;
        snprintf(path, sizeof path, "MPIR_%c%s%s", toupper((unsigned char) collective[0]),
                 collective + 1, kinds[own->kind]);
        ck_assert_msg(!strncmp(own->name, path, strlen(path)), "%s", own->name);
        ck_assert_int_eq(anypi_list_count(own->parameters), anypi_list_count(own->variables));
        for (int n = 0; anypi_list_get(own->needs, n, name, sizeof name); n++)
            ck_assert_msg(anypi_need_key(name, &holds) >= 0 || !strcmp(name, "displs-ordered"),
                          "%s needs %s", own->name, name);
    }
}
END_TEST

/* ---- which one is meant ---- */

static void assert_release(const char *where, const char *release)
{
    char message[message_size] = "";
    ck_assert_msg(anypi_mpich_open(where, message, sizeof message) == ANYP_SUCCESS, "%s", message);
    ck_assert_str_eq(anypi_mpich_now()->release, release);
}

/* What has no room is marked; nothing is written beyond. */
START_TEST(control_characters)
{
    const struct {
        const char *given, *shown;
    } texts[] = { { "a\033[1mb\n\x7f", "a\\x1b[1mb\\x0a\\x7f" }, { "\xc2\x9b", "\\xc2\\x9b" },
                  { "gr\xc3\xbc\xc3\x9f \xc2\xa0", "gr\xc3\xbc\xc3\x9f \xc2\xa0" }, { "", "" } };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t length = strlen(texts[i].shown);
        for (size_t size = 1; size < length + 3; size++) {
            char text[64];
            memset(text, '#', sizeof text);
            *text = '\0';
            anypi_append(text, size, texts[i].given);
            ck_assert_uint_lt(strlen(text), size);
            for (size_t k = size; k < sizeof text; k++)
                ck_assert_int_eq(text[k], '#');
            if (size > length)
                ck_assert_str_eq(text, texts[i].shown);
            else if (size > 4)
                ck_assert_str_eq(text + strlen(text) - 3, "...");
        }
    }
}
END_TEST

START_TEST(releases)
{
    static const char *const built_in[] = { NULL, "4.0", "4.0.2", "4.0.3", "4.0.2rc1" };
    static const char *const wrong[] = { "9.9", "4", "4.", "4.01", "4.0x", "04.0", "9.9.9", "five",
                                         "-5.0", "5", "5.0x", "5.0/", "/", ".", "/nowhere",
                                         "99999999999999999999.0", "%s%s%n" };
    char path[PATH_MAX], message[message_size], longest[3 * PATH_MAX];
    char prefix[] = "/tmp/anyp-test-XXXXXX";
    const char *own = anypi_mpich_now()->release;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        use_vocabulary(1);
        assert_release(built_in[i], own);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(wrong[i], "expected the prefix of an MPICH with AnyP inside", wrong[i]);
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(anypi_mpich_open(longest, message, sizeof message), ANYP_ERR_FILE);

    /* a prefix, and one in which the table is a folder */
    ck_assert_ptr_nonnull(mkdtemp(prefix));
    assert_refused(prefix, "expected the prefix", prefix);
    snprintf(path, sizeof path, "%s/share", prefix);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/share/anyp", prefix);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/share/anyp/mpich.json", prefix);
    mkdir(path, 0700);
    assert_refused(prefix, "expected the prefix", prefix);
    rmdir(path);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(small, out);
    fclose(out);
    assert_release(prefix, "9.8.7");
    assert_release(path, "9.8.7");
    out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fclose(out);
    use_vocabulary(1);
    ck_assert_int_eq(anypi_mpich_open(prefix, message, sizeof message), ANYP_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(message, "is not a table"));
    assert_built_in();
    unlink(path);
    for (char *end = path; strlen(path) > strlen(prefix);) {
        end = strrchr(path, '/');
        *end = '\0';
        rmdir(path);
    }
}
END_TEST

/* ---- any MPICH's names ---- */

/* A rule that some MPICH may know is accepted, and means the library's own algorithm. */
START_TEST(names_of_any_mpich)
{
    static const char *const names[] = {
        "MPIR_Allreduce_intra_recursive_doubling\": {}",
        "MPIR_Allreduce_intra_recursive_doubling\": {\"k=3\": {}}",
        "MPIR_Allreduce_intra_recexch\": {\"k=3\": {}, \"single_phase_recv=0\": {}}",
        "MPIR_Allreduce_intra_tree\": {\"tree_type=knomial_1\": {}}",
        "MPIR_Allreduce_intra_ccl\": {\"ccl=auto\": {}}",
        "MPIR_Allreduce_intra_not_yet_written\": {\"any thing=\": {}, \"\": {\"deeper\": {}}}",
        "MPIR_Allreduce_allcomm_x\": {}",
        "MPIR_Allreduce_intra_anypx\": {}",
    };
    anypi_mpich_use_any();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        anypi_signature signature;
        anypi_choice choice;
        char text[512];
        snprintf(text, sizeof text, "{\"any\": {\"collective=allreduce\": {\"is_commutative=any\": "
                 "{\"algorithm=%s}}}}", names[i]);
        const anyp_status status = read_text(text, &decision, &diagnosis);
        ck_assert_msg(status == ANYP_SUCCESS, "%s", diagnosis.text);
        anypi_signature_init(&signature, "allreduce", 5, 100, 8);
        ck_assert_int_eq(anypi_decision_select(decision, &signature, &choice), ANYP_SUCCESS);
        ck_assert(!choice.hole);
        ck_assert_ptr_null(choice.algorithm);
        ck_assert_str_ne(choice.name, "");
        anypi_decision_free(decision);
    }
}
END_TEST

START_TEST(names_of_no_mpich)
{
    static const struct {
        const char *collective, *rule, *reason;
    } rows[] = {
        { "allreduce", "MPIR_Allreduce_intra_anyp_buterfly\": {}",
          "did you mean 'MPIR_Allreduce_intra_anyp_butterfly'?" },
        { "allreduce", "MPIR_Allreduce_intra_anyp_\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_Allreduce_inter_anyp_ring\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_Allreduce_allcomm_anyp_x\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_Allreduce_intra_anyp_butterfly\": {\"k=3\": {}}",
          "does not set a parameter of the algorithm" },
        { "allreduce", "MPIR_Allreduce_intra_\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_Allreduce_new\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_Allreduceintra_new\": {}", "unknown algorithm" },
        { "allreduce", "mpir_Allreduce_intra_new\": {}", "unknown algorithm" },
        { "allreduce", "Allreduce_intra_new\": {}", "unknown algorithm" },
        { "allreduce", "\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_\": {}", "unknown algorithm" },
        { "allreduce", "MPIR_Reduce_intra_new\": {}", "unknown algorithm" },
        { "reduce_scatter", "MPIR_Reduce_scatter_block_intra_new\": {}", "unknown algorithm" },
        { "reduce", "MPIR_Reduce_scatter_intra_new\": {}", "unknown algorithm" },
        { "reduce", "MPIR_Allreduce_intra_recursive_doubling\": {}", "an algorithm for allreduce" },
        { "bcast", "MPIR_Bcast_intra_anyp_gather_reduce\": {}",
          "gather_reduce does not support bcast; expected one of exchange, butterfly, " },
        { "ireduce", "MPIR_Ireduce_intra_tsp_anyp_multiport\": {}",
          "the algorithm multiport does not support reduce; expected one of " },
        { "reduce", "MPIR_Reduce_intra_new\": 5", "expected an object" },
        { "reduce", "MPIR_Reduce_intra_new\": {}, \"comm_size<=8\": {}", "other keys" },
    };
    anypi_mpich_use_any();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        anypi_decision *decision = NULL;
        anypi_diagnosis diagnosis;
        char text[512];
        snprintf(text, sizeof text, "{\"collective=%s\": {\"algorithm=%s}}", rows[i].collective,
                 rows[i].rule);
        ck_assert_msg(read_text(text, &decision, &diagnosis) == ANYP_ERR_FILE, "%s is taken", text);
        ck_assert_msg(strstr(diagnosis.text, rows[i].reason), "%s", diagnosis.text);
    }
}
END_TEST

/* An error after such a rule is reported at its place. */
START_TEST(place_behind_other_names)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    anypi_mpich_use_any();
    ck_assert_int_eq(read_text("{\"collective=allreduce\": {\n"
                               "  \"comm_size<=8\": {\"algorithm=MPIR_Allreduce_intra_new\":\n"
                               "    {\"k=3\": {}, \"l=4\": {}}},\n"
                               "  \"comm_size<=9\": {\"algorithm=MPIR_Allreduce_intra_smp\":\n"
                               "    {\"k=3\": {}, \"l=4\": {}}},\n"
                               "  \"comm_size<=x\": {}}}", &decision, &diagnosis), ANYP_ERR_FILE);
    ck_assert_int_eq(diagnosis.errors, 1);
    ck_assert_int_eq(diagnosis.line, 6);
    ck_assert_int_eq(diagnosis.column, 3);
}
END_TEST

static void take_with_any(const char *path, void *state)
{
    const anypi_mpich *before = anypi_mpich_now();
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis;
    anypi_mpich_use_any();
    const anyp_status status = anypi_decision_read(path, &decision, &diagnosis);
    ck_assert_msg(status == ANYP_SUCCESS, "%s", diagnosis.text);
    anypi_decision_free(decision);
    anypi_mpich_use(before);
    ++*(int *) state;
}

/* A file that is right for one release is right for any. */
START_TEST(files_of_every_release)
{
    int taken = 0;
    use_vocabulary(_i);
    each_file("decision/valid", take_with_any, &taken);
    ck_assert_int_gt(taken, 12);
}
END_TEST

Suite *suite_vocabulary(void)
{
    TCase *tests;
    const int count = vocabularies();
    Suite *suite = suite_of("vocabulary", &tests);
    tcase_add_test(tests, tables_that_are_none);
    tcase_add_test(tests, tables_that_hold);
    tcase_add_test(tests, many_collectives);
    tcase_add_test(tests, tables_cut_short);
    tcase_add_test(tests, no_memory);
    tcase_add_loop_test(tests, tables_of_ours, 0, count);
    tcase_add_test(tests, control_characters);
    tcase_add_test(tests, releases);
    tcase_add_test(tests, names_of_any_mpich);
    tcase_add_test(tests, names_of_no_mpich);
    tcase_add_test(tests, place_behind_other_names);
    tcase_add_loop_test(tests, files_of_every_release, 0, count);
    return suite;
}
