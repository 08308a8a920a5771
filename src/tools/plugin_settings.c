/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/plugin_settings.h"

#include "algorithms/registry.h"
#include "select/mpich.h"
#include "select/text.h"
#include "settings/settings.h"
#include "tools/described_calls.h"
#include "tools/tool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int anypi_tool_settings_set(const tool_options *options, tool_settings *settings, const char *name,
                            const char *value)
{
    char *text = NULL;
    if (!value || settings->count == TOOL_MAX_SETTINGS ||
        asprintf(&text, "%s=%s", name, value) < 0 || putenv(text))
        return anypi_tool_status(options, ANYP_ERR_MEMORY);
    settings->text[settings->count++] = text;
    return TOOL_GOOD;
}

/* Sets ANYP_<COLLECTIVE>_<NAME>. */
static int set_of_collective(const tool_options *options, tool_settings *settings,
                             anyp_collective collective, const char *name, const char *value)
{
    char variable[128];
    snprintf(variable, sizeof variable, "ANYP_%s_%s", anyp_collective_name(collective), name);
    anypi_upper(variable);
    return anypi_tool_settings_set(options, settings, variable, value);
}

/* Sets the algorithm's parameters from "NAME=VALUE:NAME=VALUE...". */
static int read_parameters(const tool_options *options, tool_settings *settings,
                           anyp_collective collective, const anyp_algorithm *algorithm, char *texts)
{
    int parameters[ANYP_MAX_PARAMETERS], index, status = TOOL_GOOD;
    anyp_parameters_default(algorithm, parameters);
    for (char *rest, *text = strtok_r(texts, ":", &rest); text && status == TOOL_GOOD;
         text = strtok_r(NULL, ":", &rest)) {
        status = anypi_tool_parameter(options, "--algorithm", text, algorithm, parameters, &index);
        if (status == TOOL_GOOD)
            status = set_of_collective(options, settings, collective,
                                       algorithm->parameters[index].name, strchr(text, '=') + 1);
    }
    return status;
}

/* Sets the variables of one --algorithm, COLLECTIVE=NAME[:PARAMETER=VALUE]... `seen` is the set of
 * collectives that have had one. */
static int read_algorithm(const tool_options *options, tool_settings *settings, char *text,
                          unsigned *seen)
{
    anyp_collective collective;
    const anyp_algorithm *algorithm;
    char *name = strchr(text, '=');
    if (!name)
        return anypi_tool_misuse(options, "--algorithm %s: expected COLLECTIVE=NAME, such as "
                                 "allreduce=butterfly", text);
    *name++ = '\0';
    char *parameters = name + strcspn(name, ":");
    if (*parameters)
        *parameters++ = '\0';
    int status = anypi_tool_collective(options, text, &collective);
    if (status == TOOL_GOOD)
        status = anypi_tool_algorithm(options, name, &algorithm);
    if (status != TOOL_GOOD)
        return status;
    if (!(algorithm->collectives & ANYP_IN_SET(collective))) {
        char others[512];
        anypi_algorithms_text(collective, others, sizeof others);
        return anypi_tool_misuse(options, "--algorithm %s=%s: the algorithm does not serve %s; "
                                 "expected one of %s", text, name, text, others);
    }
    if (*seen & ANYP_IN_SET(collective))
        return anypi_tool_misuse(options, "--algorithm: more than one algorithm for %s", text);
    *seen |= ANYP_IN_SET(collective);
    status = set_of_collective(options, settings, collective, "ALGORITHM", algorithm->name);
    return status == TOOL_GOOD
        ? read_parameters(options, settings, collective, algorithm, parameters) : status;
}

static int read_algorithms(const tool_options *options, tool_settings *settings)
{
    unsigned seen = 0;
    int status = TOOL_GOOD;
    for (int i = 0; i < options->params_count && status == TOOL_GOOD; i++) {
        char *text = strdup(options->params[i]);
        status = text ? read_algorithm(options, settings, text, &seen)
            : anypi_tool_status(options, ANYP_ERR_MEMORY);
        free(text);
    }
    return status;
}

bool anypi_tool_folder(char folder[PATH_MAX])
{
    if (!realpath("/proc/self/exe", folder))
        return false;
    *strrchr(folder, '/') = '\0';
    return true;
}

const char *anypi_tool_decision_file(const char *name, char path[PATH_MAX])
{
    static const char generic[] = "generic.json";
    char folder[PATH_MAX];
    snprintf(path, PATH_MAX, "%s", name);
    if (strcmp(name, "generic") || !access(name, F_OK) ||
        anypi_installed_file(generic, path, PATH_MAX))
        return path;
    if (!anypi_tool_folder(folder) ||
        snprintf(path, PATH_MAX, "%s/%s", folder, generic) >= PATH_MAX || access(path, F_OK))
        snprintf(path, PATH_MAX, "%s/%s", ANYP_DATADIR, generic);
    return path;
}

/* Sets the decision file, by its absolute path: processes may run in other folders. */
static int read_file(const tool_options *options, tool_settings *settings, const char *file)
{
    char path[PATH_MAX], named[PATH_MAX];
    if (!realpath(anypi_tool_decision_file(file, named), path))
        return anypi_tool_complain(options, TOOL_BAD, "--tuning-file %s: %s", *file ? file : "''",
                                   strerror(errno));
    return anypi_tool_settings_set(options, settings, "ANYP_TUNING_FILE", path);
}

/* Sets the record, by its absolute path; only the record's folder must exist. */
static int read_record(const tool_options *options, tool_settings *settings, const char *file)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    struct stat found;
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    snprintf(path, sizeof path, "%.*s", slash ? (int) (slash - file) + 1 : 1, slash ? file : ".");
    if (!*name)
        return anypi_tool_misuse(options, "--record '%s': expected the name of a file", file);
    if (!realpath(path, folder))
        return anypi_tool_complain(options, TOOL_BAD, "--record %s: %s: %s", file, path,
                                   strerror(errno));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!stat(path, &found) && S_ISDIR(found.st_mode))
        return anypi_tool_complain(options, TOOL_BAD, "--record %s: %s", file, strerror(EISDIR));
    if (access(access(path, F_OK) ? folder : path, W_OK))
        return anypi_tool_complain(options, TOOL_BAD, "--record %s: %s", file, strerror(errno));
    return anypi_tool_settings_set(options, settings, "ANYP_RECORD", path);
}

int anypi_tool_settings_read(const tool_options *options, tool_settings *settings)
{
    const struct {
        tool_option option;
        const char *name, *value;
    } variables[] = {
        { OPTION_NETWORK, "ANYP_NETWORK", options->word[OPTION_NETWORK] },
        { OPTION_VERBOSE, "ANYP_VERBOSE", options->number[OPTION_VERBOSE] == 1 ? "1" : "2" },
        { OPTION_STRICT, "ANYP_STRICT", "1" },
        { OPTION_REPRODUCIBLE, "ANYP_REPRODUCIBLE", "1" },
    };
    int status = TOOL_GOOD;
    if (options->word[OPTION_TUNING_FILE])
        status = read_file(options, settings, options->word[OPTION_TUNING_FILE]);
    if (status == TOOL_GOOD && options->word[OPTION_RECORD])
        status = read_record(options, settings, options->word[OPTION_RECORD]);
    if (status == TOOL_GOOD)
        status = read_algorithms(options, settings);
    for (size_t i = 0; i < sizeof variables / sizeof *variables && status == TOOL_GOOD; i++)
        if (options->given[variables[i].option])
            status = anypi_tool_settings_set(options, settings, variables[i].name,
                                             variables[i].value);
    return status;
}

int anypi_tool_settings_check(const tool_options *options)
{
    const anypi_settings *settings = anypi_settings_get();
    if (!settings)
        return anypi_tool_status(options, ANYP_ERR_MEMORY);
    if (*settings->wrong)
        return anypi_tool_complain(options, TOOL_BAD, "%s", settings->wrong);
    return TOOL_GOOD;
}

/* Is this a process of a job, but not the first one, which prints the same warnings? */
static bool is_later_rank(void)
{
    static const char *const ranks[] = { "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                         "SLURM_PROCID" };
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank && strcmp(rank, "0"))
            return true;
    }
    return false;
}

/* Is "NAME=VALUE" a variable that only an MPICH with AnyP inside understands? */
static bool is_of_grafted(const char *text)
{
    static const char file[] = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=";
    static const char algorithm[] = "_INTRA_ALGORITHM=anyp_";
    return (!strncmp(text, file, sizeof file - 1) && text[sizeof file - 1]) ||
        (!strncmp(text, "MPIR_CVAR_", 10) && strstr(text, algorithm));
}

void anypi_tool_settings_warn(const tool_options *options, tool_family family)
{
    static const char instead[] = "--tuning-file FILE (anyp-tune makes one) or --algorithm "
        "COLLECTIVE=NAME";
    if (is_later_rank())
        return;
    for (char **text = environ; *text && family != FAMILY_OPENMPI; text++)
        if (is_of_grafted(*text))
            anypi_tool_complain(options, 0, "warning: %s is for an MPICH with AnyP inside, and "
                                "may make another MPICH abort; unset it, and use %s",
                                *text, instead);
    const anypi_settings *settings = anypi_settings_get();
    const char *inside = getenv("MPIR_CVAR_ANYP_REPRODUCIBLE");
    if (inside && *inside && strcmp(inside, "0") && settings && !settings->reproducible)
        anypi_tool_complain(options, 0, "warning: MPIR_CVAR_ANYP_REPRODUCIBLE is for an MPICH "
                            "with AnyP inside; use --reproducible for the plug-in");
    bool any = settings && (settings->decision || settings->reproducible);
    for (int i = 0; settings && i < ANYP_COLLECTIVES; i++)
        any = any || settings->forced[i].algorithm;
    if (settings && !any && !options->given[OPTION_DRY_RUN] && !getenv("ANYP_RECORD"))
        anypi_tool_complain(options, 0, "nothing chooses an algorithm, so the MPI library's "
                            "algorithms run; add %s", instead);
}

/* Is "NAME=VALUE" a variable that all processes of a job need? */
static bool is_for_all(const char *text)
{
    return !strncmp(text, "ANYP_", 5) || !strncmp(text, "LD_PRELOAD=", 11);
}

/* Returns the list `before`, "A;B", with the names of such variables appended. NULL: no memory. */
static char *longer_list(const char *before)
{
    char *list = strdup(before);
    for (char **text = environ; *text && list; text++) {
        char *shorter = list;
        if (!is_for_all(*text))
            continue;
        if (asprintf(&list, "%s%s%.*s", shorter, *shorter ? ";" : "", (int) strcspn(*text, "="),
                     *text) < 0)
            list = NULL;
        free(shorter);
    }
    return list;
}

/* Open MPI forwards the variables in this list to other nodes. Otherwise it forwards those of -x
 * options, to the one program that has them (a command may contain several with ":" between them).
 * It does not accept both. */
static const char list_variable[] = "OMPI_MCA_mca_base_env_list";
static const char *const list_name = list_variable + 9;

typedef enum forwarding { BY_ITSELF, BY_LIST, BY_OPTIONS } forwarding;

static bool is_list(const tool_options *options, int word)
{
    return word > 0 && !strcmp(options->operands[word - 1], list_name);
}

/* Chooses between the list and -x. If the program itself has an option "-x", -x options are used,
 * which also work. */
static forwarding choose_forwarding(const tool_options *options, const tool_mpi *mpi)
{
    bool has_list = false, has_options = false;
    if (mpi->launcher != FAMILY_OPENMPI)
        return BY_ITSELF;
    for (int i = mpi->launcher_word + 1; i < options->operands_count; i++) {
        has_list = has_list || is_list(options, i);
        has_options = has_options || !strcmp(options->operands[i], "-x");
    }
    return has_list || getenv(list_variable) || !has_options ? BY_LIST : BY_OPTIONS;
}

static bool begins_program(const tool_options *options, const tool_mpi *mpi, int word)
{
    return word == mpi->launcher_word ||
        (word > mpi->launcher_word && !strcmp(options->operands[word], ":"));
}

/* Returns the command's words with the new ones; NULL: no memory. */
static char **new_words(const tool_options *options, const tool_mpi *mpi, forwarding how)
{
    size_t variables = 0, programs = 0, count = 0;
    for (char **text = environ; *text; text++)
        variables += is_for_all(*text);
    for (int i = 0; i < options->operands_count; i++)
        programs += begins_program(options, mpi, i);
    char **words = calloc((size_t) options->operands_count + 1 + 2 * variables * programs,
                          sizeof *words);
    for (int i = 0; words && i < options->operands_count; i++) {
        char *word = options->operands[i];
        words[count++] = how == BY_LIST && is_list(options, i) ? longer_list(word) : word;
        if (how != BY_OPTIONS || !begins_program(options, mpi, i))
            continue;
        for (char **text = environ; *text; text++)
            if (is_for_all(*text)) {
                words[count++] = "-x";
                words[count++] = strndup(*text, strcspn(*text, "="));
            }
    }
    for (size_t i = 0; i < count; i++)
        if (!words[i])
            return NULL;
    return words;
}

int anypi_tool_settings_forward(const tool_options *options, tool_settings *settings,
                                const tool_mpi *mpi, char ***result)
{
    const forwarding how = choose_forwarding(options, mpi);
    *result = new_words(options, mpi, how);
    if (!*result)
        return anypi_tool_status(options, ANYP_ERR_MEMORY);
    if (how != BY_LIST)
        return TOOL_GOOD;
    /* also if a word is the list: Open MPI uses only the list of the first program */
    const char *list = getenv(list_variable);
    char *longer = longer_list(list ? list : "");
    const int status = anypi_tool_settings_set(options, settings, list_variable, longer);
    free(longer);
    return status;
}
