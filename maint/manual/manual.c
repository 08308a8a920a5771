/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual - reads the text of a manual page from stdin, and writes the page to stdout:
 *
 *     manual <maint/manual/anyp.1.md >man/anyp.1
 *     manual --markdown <maint/manual/anyp.1.md
 *
 * The second form writes the text with its lists renewed. The text is Markdown in the forms of
 * roff.h, which can also be read without installing it, with
 *
 *   <!-- list NAME -->             a list from the tables of the programs: commands, options,
 *   ...                            variables, algorithms. The page in the tree has the list as
 *   <!-- end of list -->           Markdown, for those who read it there; `make lists` renews it
 */
#include "markdown.h"
#include "roff.h"

#include "algorithms/registry.h"
#include "tuner/bench_options.h"
#include "tuner/tuner_options.h"
#include "tools/tool.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80 };            /* the lines of help are shorter */

static void (*write_line)(const char *line) = roff_line;

/* Writes a line of a list. */
__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(text);
}

/* Writes the paragraphs of --help. If the first word of the next line would have fitted, a line
 * ends a paragraph. */
static void write_help(const char *text)
{
    bool in_list = false;
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        in_list = !strncmp(text, "- ", 2) || (in_list && !strncmp(text, "  ", 2));
        line("%.*s", (int) length, text);
        const bool stops = length && strchr(".:;", text[length - 1]);
        length += text[length] == '\n';
        const char *next = text + length;
        if (*next && !in_list && stops && strncmp(next, "- ", 2) &&
            length + strcspn(next, " \n") <= WIDTH)
            write_line("");
    }
}

/* ---- anyp ---- */

static void write_row(const anypi_option *row)
{
    char letter[16] = "";
    if (row->letter)
        snprintf(letter, sizeof letter, "**-%c**, ", row->letter);
    if (row->argument)
        line(row->kind == ANYPI_LEVEL ? "%s**--%s**[=*%s*]" : "%s**--%s** *%s*", letter, row->name,
             row->argument);
    else
        line("%s**--%s**", letter, row->name);
    write_help(row->help);
}

static void write_command(const tool_command *command)
{
    line("### anyp %s", command->name);
    write_line("```synopsis");
    line("anyp %s [OPTION]...%s%s", command->name, *command->operands ? " " : "",
         command->operands);
    write_line("```");
    line("%s", command->summary);
    write_line("");
    write_help(command->description);
    write_line("");
    write_line("Options:");
    write_line("");
    for (int i = 0; i < TOOL_OPTIONS; i++)
        if (command->accepts >> i & 1) {
            write_row(&anypi_tool_options[i]);
            if (command->needs >> i & 1)
                write_line("(required)");
        }
    write_line("**-h**, **--help**");
    write_line("print the command's help");
    if (command->statuses) {
        write_line("");
        write_line("Exit status:");
        write_help(command->statuses);
    }
    write_line("");
    write_line("Examples:");
    write_line("```");
    for (const char *text = command->examples; *text; text += strspn(text, "\n")) {
        text += strspn(text, " ");
        line("%.*s", (int) strcspn(text, "\n"), text);
        text += strcspn(text, "\n");
    }
    write_line("```");
}

static void write_commands(void)
{
    for (int i = 0; i < TOOL_COMMANDS; i++)
        write_command(anypi_tool_commands[i]);
}

/* ---- anyp-tune, anyp-bench ---- */

static void write_program(const anypi_help *program)
{
    write_help(program->description);
    if (*program->notes)
        write_line("");
    write_help(program->notes);
    write_line("## Options");
    for (const anypi_option *row = program->options; row->name; row++)
        write_row(row);
    write_line("## Exit status");
    write_line("");
    write_help(program->statuses);
}

/* ---- anyp-tune-job ---- */

/* Writes a line of a list in the script's help: "  TERM   TEXT", or more text of the same term. */
static void write_script_row(const char *text)
{
    const char *end = strncmp(text, "   ", 3) ? strstr(text + 2, "  ") : text;
    const int length = (int) (end ? (size_t) (end - text) : strlen(text)) - 2;
    const int word = (int) strcspn(text + 2, " ");
    if (length > word && !strncmp(text, "  --", 4))
        line("**%.*s** *%.*s*", word, text + 2, length - word - 1, text + 3 + word);
    else if (length > 0)
        line("**%.*s**", length, text + 2);
    if (end)
        write_line(end + strspn(end, " "));
}

/* Writes the help of a script, after its first line. A line that ends in a colon is a heading. */
static void write_job(void)
{
    FILE *file = fopen(MANUAL_JOB, "r");
    char text[256];
    bool in_help = false;
    while (file && fgets(text, sizeof text, file) && strcmp(text, "END\n")) {
        text[strcspn(text, "\n")] = '\0';
        if (!in_help)
            in_help = !strncmp(text, "Usage: ", 7);
        else if (!strncmp(text, "  ", 2))
            write_script_row(text);
        else if (strchr(text, ':') && !strchr(text, ':')[1])
            line("## %.*s", (int) strcspn(text, ":"), text);
        else
            write_line(text);
    }
    if (!file || !in_help || ferror(file)) {
        fprintf(stderr, "manual: " MANUAL_JOB " has no help\n");
        exit(1);
    }
    fclose(file);
}

/* ---- variables of the plug-in ---- */

static void write_variable(const char *name, const char *argument, const char *help)
{
    line("**ANYP_%s**=*%s*", name, argument);
    write_help(help);
}

static void write_variables(void)
{
#define ANYP_VARIABLE(name, argument, help) write_variable(#name, #argument, help);
#define ANYP_VARIABLE_EACH(name, argument, help)                                                   \
    write_variable("<COLLECTIVE>_" #name, #argument, help);
#include "settings/variables.def"
#undef ANYP_VARIABLE
#undef ANYP_VARIABLE_EACH
    write_variable("<COLLECTIVE>_<PARAMETER>", "VALUE",
                   "set this parameter of the algorithm that ANYP_<COLLECTIVE>_ALGORITHM names");
}

/* ---- algorithms ---- */

static void write_parameter(const anyp_parameter *parameter)
{
    char value[ANYP_VALUE_SIZE], range[512];
    line("**%s**", parameter->name);
    line("%s (%s; default %s)", parameter->help,
         anyp_parameter_range(parameter, range, sizeof range),
         anyp_parameter_text(parameter, parameter->default_value, value, sizeof value));
}

static void write_algorithm(const anyp_algorithm *algorithm)
{
    char collectives[256] = "";
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (algorithm->collectives & ANYP_IN_SET(i))
            strcat(strcat(collectives, " "), anyp_collective_name((anyp_collective) i));
    line("### %s", algorithm->name);
    line("%s", algorithm->code->summary);
    line("<br>Collectives:%s", collectives);
    line("<br>Operators: %s", anypi_tool_order(algorithm));
    line("<br>Source: %s", algorithm->code->source);
    if (algorithm->properties & ANYP_REFERENCE)
        write_line("<br>Reference algorithm");
    for (int i = 0; i < algorithm->parameters_count; i++)
        write_parameter(&algorithm->parameters[i]);
}

static void write_algorithms(void)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        write_algorithm(&algorithms[i]);
}

/* ---- pages ---- */

/* Writes the list of this name; false if there is none. */
static bool write_list(const char *name)
{
    static const struct {
        const char *name;
        void (*write)(void);
        const anypi_help *program;           /* otherwise */
    } lists[] = {
        { "commands", write_commands, NULL },
        { "tuner", NULL, &anypi_tuner_help },
        { "bench", NULL, &anypi_bench_help },
        { "job", write_job, NULL },
        { "variables", write_variables, NULL },
        { "algorithms", write_algorithms, NULL },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strcmp(name, lists[i].name)) {
            if (lists[i].write)
                lists[i].write();
            else
                write_program(lists[i].program);
            return true;
        }
    return false;
}

/* Writes the list that this line of the page, which begins it, names. False after a message: there
 * is none. */
static bool renew_list(const char *text, const char *name, bool markdown)
{
    if (markdown)
        printf("%s\n\n", text);
    if (!write_list(name)) {
        fprintf(stderr, "manual: there is no such list: %s\n", text);
        return false;
    }
    if (markdown) {
        markdown_end();
        puts("\n<!-- end of list -->");
    }
    return true;
}

/* Writes the page of stdin. False after a message. */
static bool write_page(bool markdown)
{
    char *text = NULL, name[64];
    size_t size = 0;
    bool good = true, in_list = false;
    for (ssize_t length; good && (length = getline(&text, &size, stdin)) > 0;) {
        if (text[length - 1] == '\n')
            text[length - 1] = '\0';
        if (in_list)
            in_list = strcmp(text, "<!-- end of list -->") != 0;
        else if ((in_list = sscanf(text, "<!-- list %63s -->", name) == 1))
            good = renew_list(text, name, markdown);
        else if (markdown)
            puts(text);
        else
            roff_line(text);
    }
    free(text);
    if (good && in_list)
        fprintf(stderr, "manual: the list %s has no line <!-- end of list -->\n", name);
    return good && !in_list;
}

int main(int argc, char **argv)
{
    const bool markdown = argc == 2 && !strcmp(argv[1], "--markdown");
    if (markdown)
        write_line = markdown_line;
    if (argc > 1 && !markdown) {
        fprintf(stderr, "Usage: manual [--markdown] <TEXT >PAGE\n");
        return 2;
    }
    if (!write_page(markdown))
        return 1;
    if (ferror(stdin) || fflush(stdout) || ferror(stdout)) {
        perror("manual");
        return 1;
    }
    return 0;
}
