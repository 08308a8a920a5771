/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpich_table.c - reads the vocabulary of an MPICH from a table (maint/mpich_names.py), such as the
 * graft installs. It is not part of MPICH, into which its own vocabulary is compiled.
 *
 * A table is read into one vocabulary, which stays in force until the program ends. Its names stay
 * in json-c's objects; lists are joined into a text.
 */
#include "select/mpich.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "select/rule_tree.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    struct json_object *root;
    char *text, *end;           /* joined lists, and the first free byte */
    void *memory;               /* all arrays */
    anypi_mpich mpich;
} table;

static void close_table(void)
{
    anypi_mpich_use(NULL);
    json_object_put(table.root);
    anypi_free(table.text);
    anypi_free(table.memory);
    memset(&table, 0, sizeof table);
}

/* ---- types ---- */

/* Returns a name of at most 100 letters, or NULL. */
static const char *name_of(struct json_object *object)
{
    const char *text = json_object_is_type(object, json_type_string)
        ? json_object_get_string(object) : NULL;
    return text && *text && strlen(text) <= 100 && !strchr(text, '|') ? text : NULL;
}

/* Returns the number of names in a list; -1 if it is no list of names. */
static int names_in(struct json_object *list)
{
    if (!json_object_is_type(list, json_type_array))
        return -1;
    const int count = (int) json_object_array_length(list);
    for (int i = 0; i < count; i++)
        if (!name_of(json_object_array_get_idx(list, (size_t) i)))
            return -1;
    return count;
}

/* Returns the member `name`, a list of names, as "name|name"; "" if there is none, NULL if it is no
 * list. The joined text is shorter than the list in the file, so there is room for all. */
static const char *join(struct json_object *object, const char *name)
{
    struct json_object *list = NULL;
    if (!json_object_object_get_ex(object, name, &list))
        return "";
    const int count = names_in(list);
    char *joined = table.end;
    for (int i = 0; i < count; i++)
        table.end += sprintf(table.end, "%s%s", i ? "|" : "",
                             name_of(json_object_array_get_idx(list, (size_t) i)));
    *table.end++ = '\0';
    return count < 0 ? NULL : joined;
}

/* ---- parts ---- */

/* Does the table contain the collectives of AnyP's algorithms? */
static bool has_collectives(void)
{
    for (int c = 0; c < ANYP_COLLECTIVES; c++)
        if (anypi_mpich_collective_find(anyp_collective_name((anyp_collective) c)) < 0 ||
            anypi_mpich_collective_find(anypi_collectives[c].nonblocking) < 0)
            return false;
    return true;
}

/* Does MPICH's reader know the conditions that AnyP writes? "any" is optional. */
static bool has_conditions(void)
{
    for (int i = 0; i < anypi_keys_count; i++)
        if (!anypi_key_known(i) && strcmp(anypi_keys[i].text, "any"))
            return false;
    return true;
}

static bool read_algorithm(struct json_object *row, anypi_mpich_algorithm *algorithm)
{
    static const char *const kinds[] = { "", "intra", "inter", "allcomm" };
    struct json_object *unusable = NULL;
    const char *kind = name_of(anypi_json_member(row, "kind", json_type_string));
    const char *collective = name_of(anypi_json_member(row, "collective", json_type_string));
    if (json_object_object_get_ex(row, "unusable", &unusable) &&
        !json_object_is_type(unusable, json_type_string))
        return false;
    *algorithm = (anypi_mpich_algorithm) {
        .collective = collective ? anypi_mpich_collective_find(collective) : -1,
        .name = name_of(anypi_json_member(row, "name", json_type_string)),
        .unusable = unusable ? json_object_get_string(unusable) : "",
    };
    for (int i = ANYPI_INTRA; kind && i <= ANYPI_ALLCOMM; i++)
        if (!strcmp(kinds[i], kind))
            algorithm->kind = (anypi_kind) i;
    if (!algorithm->name || algorithm->collective < 0 || !algorithm->kind)
        return false;
    algorithm->parameters = join(row, "parameters");
    algorithm->optional = join(row, "optional");
    algorithm->variables = join(row, "variables");
    algorithm->needs = join(row, "needs");
    return algorithm->parameters && algorithm->optional && algorithm->variables &&
        algorithm->needs && anypi_list_count(algorithm->parameters) +
        anypi_list_count(algorithm->optional) <= ANYP_MAX_PARAMETERS;
}

/* Returns the bytes of all arrays; 0 if a part is missing or of the wrong type. */
static size_t room_needed(struct json_object *const parts[4])
{
    for (int i = 0; i < 4; i++)
        if (!parts[i])
            return 0;
    return sizeof(char *) * json_object_array_length(parts[0]) +
        sizeof(anypi_mpich_pair) * (size_t) (json_object_object_length(parts[1]) +
                                             json_object_object_length(parts[2]) + 2) +
        sizeof(anypi_mpich_algorithm) * json_object_array_length(parts[3]);
}

static bool read_collectives(struct json_object *list, anypi_mpich *mpich, void **room)
{
    const char **filled = *room;
    mpich->collectives = filled;
    mpich->collectives_count = names_in(list);
    for (int i = 0; i < mpich->collectives_count; i++)
        *filled++ = name_of(json_object_array_get_idx(list, (size_t) i));
    *room = filled;
    return mpich->collectives_count < 64;       /* facts are bits of a uint64_t */
}

/* Returns {"count": ["allreduce", ...], ...} as pairs; NULL if a list has less than `fewest`
 * names. */
static const anypi_mpich_pair *read_pairs(struct json_object *object, int fewest, void **room)
{
    anypi_mpich_pair *const pairs = *room, *pair = pairs;
    json_object_object_foreach(object, name, list) {
        if (names_in(list) < fewest)
            return NULL;
        *pair++ = (anypi_mpich_pair) { name, join(object, name) };
    }
    *pair++ = (anypi_mpich_pair) { NULL, NULL };
    *room = pair;
    return pairs;
}

static bool read_algorithms(struct json_object *list, anypi_mpich *mpich, void *room)
{
    anypi_mpich_algorithm *algorithm = room;
    mpich->algorithms = algorithm;
    mpich->algorithms_count = (int) json_object_array_length(list);
    for (int i = 0; i < mpich->algorithms_count; i++)
        if (!read_algorithm(json_object_array_get_idx(list, (size_t) i), algorithm++))
            return false;
    return true;
}

/* Fills table.mpich from table.root. It uses functions on the vocabulary in force. */
static anyp_status read_table(void)
{
    struct json_object *const parts[] = {
        anypi_json_member(table.root, "collectives", json_type_array),
        anypi_json_member(table.root, "defined", json_type_object),
        anypi_json_member(table.root, "values", json_type_object),
        anypi_json_member(table.root, "algorithms", json_type_array),
    };
    anypi_mpich *mpich = &table.mpich;
    struct json_object *hierarchies = anypi_json_member(table.root, "hierarchies", json_type_int);
    const size_t size = room_needed(parts);
    mpich->release = name_of(anypi_json_member(table.root, "mpich", json_type_string));
    mpich->hierarchies = hierarchies ? json_object_get_int(hierarchies) : 0;
    if (!size || !mpich->release || (mpich->hierarchies != 2 && mpich->hierarchies != 4))
        return ANYP_ERR_FILE;
    void *room = table.memory = anypi_realloc(NULL, size);
    if (!room)
        return ANYP_ERR_MEMORY;
    anypi_mpich_use(mpich);
    mpich->conditions = join(table.root, "conditions");
    return read_collectives(parts[0], mpich, &room) && has_collectives() &&
        mpich->conditions && has_conditions() &&
        (mpich->defined = read_pairs(parts[1], 0, &room)) &&
        (mpich->values = read_pairs(parts[2], 1, &room)) &&
        read_algorithms(parts[3], mpich, room) ? ANYP_SUCCESS : ANYP_ERR_FILE;
}

static anyp_status open_table(const char *file, char *message, size_t size)
{
    const char *reason;
    anypi_source source = { .name = file };
    close_table();
    anyp_status status = anypi_source_read(&source, file, &reason);
    if (status == ANYP_SUCCESS) {
        table.root = json_tokener_parse(source.text);
        table.text = table.end = anypi_realloc(NULL, source.length + 1);
        status = table.text ? read_table() : ANYP_ERR_MEMORY;
    }
    anypi_source_free(&source);
    if (status != ANYP_SUCCESS)
        close_table();
    if (status == ANYP_ERR_FILE)
        snprintf(message, size, "%s is not a table of MPICH's names, such as "
                 "PREFIX/share/anyp/mpich.json; install MPICH with AnyP inside again", file);
    return status;
}

struct json_object *anypi_mpich_table(void)
{
    return anypi_mpich_now() == &table.mpich ? table.root : NULL;
}

/* ---- which table ---- */

static bool is_file(const char *path)
{
    struct stat state;
    return !stat(path, &state) && S_ISREG(state.st_mode);
}

bool anypi_installed_file(const char *name, char *path, size_t size)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash || slash - program < 4 || strncmp(slash - 4, "/bin", 4))
        return false;
    return snprintf(path, size, "%.*s/share/anyp/%s", (int) (slash - 4 - program), program, name) <
        (int) size && is_file(path);
}

/* Sets the series, "5.0", of a release, "5.0" or "5.0.1". A series has the same names. */
static bool series_of(const char *release, char series[64])
{
    int major, minor, end = 0;
    if (sscanf(release, "%3d.%3d%n", &major, &minor, &end) != 2 ||
        release[end + (int) strspn(release + end, "0123456789abrc.")])
        return false;
    snprintf(series, 64, "%d.%d", major, minor);
    return !strncmp(release, series, (size_t) end);     /* "4.01" is not 4.1 */
}

/* Finds the installed table of a series. */
static bool find_series(const char *series, char *path, size_t size)
{
    char name[128];
    snprintf(name, sizeof name, "mpich/%s.json", series);
    return anypi_installed_file(name, path, size) ||
        (snprintf(path, size, "%s/%s", ANYP_DATADIR, name) < (int) size && is_file(path));
}

anyp_status anypi_mpich_open(const char *where, char *message, size_t size)
{
    char path[PATH_MAX], series[64], built_in[64];
    anypi_mpich_use(NULL);
    if (!where)
        return anypi_installed_file("mpich.json", path, sizeof path)
            ? open_table(path, message, size) : ANYP_SUCCESS;
    if (snprintf(path, sizeof path, "%s/share/anyp/mpich.json", where) < (int) sizeof path &&
        is_file(path))
        return open_table(path, message, size);
    if (is_file(where))
        return open_table(where, message, size);
    if (series_of(where, series)) {
        if (find_series(series, path, sizeof path))
            return open_table(path, message, size);
        if (series_of(anypi_mpich_now()->release, built_in) && !strcmp(series, built_in))
            return ANYP_SUCCESS;
    }
    snprintf(message, size, "%s: unknown MPICH; expected the prefix of an MPICH with AnyP inside, "
             "its file share/anyp/mpich.json, or a release such as 5.0 that has a file in "
             "%s/mpich", where, ANYP_DATADIR);
    return ANYP_ERR_FILE;
}
