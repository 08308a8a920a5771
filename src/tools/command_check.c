/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp check - reports whether MPI_Init would accept a decision file. It uses the same reader, but
 * no MPI.
 */
#include "options/json.h"
#include "tools/plugin_settings.h"
#include "tools/tool.h"

#include "select/decision.h"

/* Writes an error to stderr, or into the JSON answer. */
static void report(void *context, const anypi_diagnosis *error)
{
    anypi_json *json = context;
    if (!json) {
        fprintf(stderr, "%s\n", error->text);
        return;
    }
    anypi_json_write(json, "{ line:%d column:%d path:%s message:%s }", error->line, error->column,
                     error->path, error->text);
}

/* Checks the file; `json`: also writes the JSON answer, if there is one. */
static int check(const tool_options *options, anypi_json *json, const char *file)
{
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis = { 0 };
    if (json)
        anypi_json_write(json, "{ file:%s reported:[", file);
    const anyp_status status = anypi_decision_check(file, report, json, &decision, &diagnosis);
    const bool good = status == ANYP_SUCCESS, failed = !good && status != ANYP_ERR_FILE;
    if (good)
        anypi_decision_free(decision);
    if (json) {
        anypi_json_write(json, "] good:%hhd errors:%d", good, diagnosis.errors);
        if (failed)
            anypi_json_write(json, "failure:%s", anyp_status_text(status));
        anypi_json_write(json, "}");
    } else if (good) {
        printf("%s: good\n", file);
    } else if (failed) {
        anypi_tool_complain(options, TOOL_BAD, "%s: %s", file, anyp_status_text(status));
    } else if (diagnosis.errors > ANYPI_MAX_REPORTED) {
        anypi_complain(file, "%d more errors", diagnosis.errors - ANYPI_MAX_REPORTED);
    }
    return good ? TOOL_GOOD : TOOL_BAD;
}

static int run(const tool_options *options)
{
    const bool as_json = options->given[OPTION_JSON];
    anypi_json json = { .file = stdout };
    int worst = anypi_tool_mpich(options);
    if (worst != TOOL_GOOD)
        return worst;
    if (as_json)
        anypi_json_write(&json, "[");
    for (int i = 0; i < options->operands_count; i++) {
        char path[PATH_MAX];
        const char *file = anypi_tool_decision_file(options->operands[i], path);
        const int status = check(options, as_json ? &json : NULL, file);
        worst = status > worst ? status : worst;
    }
    if (as_json)
        anypi_json_write(&json, "]");
    return worst;
}

const tool_command anypi_tool_check = {
    .name = "check",
    .summary = "check, without MPI, whether MPI_Init would accept decision files",
    .operands = "FILE...",
    .operands_minimum = 1,
    .operands_maximum = INT32_MAX,
    .accepts = OPTION_BIT(MPICH) | OPTION_BIT(JSON),
    .description =
        "Checks decision files, MPICH's CSEL JSON. Each error is one line on stderr: file,\n"
        "line and column, the keys down to the wrong one, the reason, and what is expected.\n\n"
        "Parts that a file omits are no errors: MPICH chooses there. Releases of MPICH differ\n"
        "in the names and parameters of their own algorithms; see --mpich.\n",
    .examples = "  anyp check tuned.json\n  anyp check --mpich 5.0 tuned.json\n"
        "  anyp check --json *.json\n",
    .run = run,
};
