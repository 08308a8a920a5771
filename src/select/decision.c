/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision.c - reads decision files: from the name of a file to a tree of rules.
 */
#include "select/check_rules.h"

#include "schedule/memory.h"

#include <string.h>

void anypi_decision_free(anypi_decision *decision)
{
    if (decision)
        anypi_free(decision->rules);
    anypi_free(decision);
}

/* Parses and checks source->text, and frees the source. Moves a right text to *text, unless `text`
 * is NULL. */
static anyp_status make(anypi_source *source, anypi_checker *checker, anypi_decision **decision,
                        char **text)
{
    const char *reason;
    anypi_frame frame = { .up = NULL };
    checker->status = anypi_source_parse(source, &reason, &frame.offset);
    if (checker->status == ANYP_ERR_FILE)
        anypi_report(checker, &frame, "%s", reason);
    if (checker->status == ANYP_SUCCESS &&
        !(checker->tree = anypi_realloc(NULL, sizeof *checker->tree)))
        checker->status = ANYP_ERR_MEMORY;
    if (checker->status == ANYP_SUCCESS) {
        memset(checker->tree, 0, sizeof *checker->tree);
        anypi_check(checker);
        if (checker->status == ANYP_SUCCESS && checker->first->errors)
            checker->status = ANYP_ERR_FILE;
    }
    if (checker->status == ANYP_SUCCESS)
        *decision = checker->tree;
    else
        anypi_decision_free(checker->tree);
    if (checker->status == ANYP_SUCCESS && text) {
        *text = source->text;
        source->text = NULL;
    }
    anypi_source_free(source);
    return checker->status;
}

static anyp_status read_file(const char *file, anypi_listener *listener, void *context,
                             anypi_decision **decision, char **text, anypi_diagnosis *diagnosis)
{
    const char *reason;
    anypi_source source = { .name = file };
    anypi_checker checker = { .source = &source, .first = diagnosis, .listener = listener,
                              .context = context };
    memset(diagnosis, 0, sizeof *diagnosis);
    const anyp_status status = anypi_source_read(&source, file, &reason);
    if (status == ANYP_SUCCESS)
        return make(&source, &checker, decision, text);
    if (status == ANYP_ERR_FILE)
        anypi_report(&checker, NULL, "cannot be read: %s; expected a decision file (JSON) of at "
                     "most 16 MiB", reason);
    anypi_source_free(&source);
    return status;
}

anyp_status anypi_decision_check(const char *file, anypi_listener *listener, void *context,
                                 anypi_decision **decision, anypi_diagnosis *diagnosis)
{
    return read_file(file, listener, context, decision, NULL, diagnosis);
}

anyp_status anypi_decision_read(const char *file, anypi_decision **decision,
                                anypi_diagnosis *diagnosis)
{
    return read_file(file, NULL, NULL, decision, NULL, diagnosis);
}

anyp_status anypi_decision_read_text(const char *file, anypi_decision **decision, char **text,
                                     anypi_diagnosis *diagnosis)
{
    return read_file(file, NULL, NULL, decision, text, diagnosis);
}

static anyp_status parse(const char *text, size_t length, anypi_source *source,
                         anypi_checker *checker, anypi_decision **decision)
{
    memset(checker->first, 0, sizeof *checker->first);
    source->text = anypi_realloc(NULL, length + 1);
    if (!source->text)
        return ANYP_ERR_MEMORY;
    memcpy(source->text, text, length);
    source->text[length] = '\0';
    source->length = length;
    return make(source, checker, decision, NULL);
}

anyp_status anypi_decision_parse(const char *text, size_t length, const char *name,
                                 anypi_decision **decision, anypi_diagnosis *diagnosis)
{
    anypi_source source = { .name = name };
    anypi_checker checker = { .source = &source, .first = diagnosis };
    return parse(text, length, &source, &checker, decision);
}

anyp_status anypi_defaults_parse(const char *text, anypi_decision **decision)
{
    anypi_diagnosis diagnosis;
    anypi_source source = { .name = "MPICH's defaults" };
    anypi_checker checker = { .source = &source, .first = &diagnosis, .lenient = true };
    return parse(text, strlen(text), &source, &checker, decision);
}
