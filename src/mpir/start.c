/* SPDX-License-Identifier: BSD-3-Clause
 *
 * start.c - finds the decision file, completes its rules and hands them to MPICH's reader.
 *
 * MPICH makes the root of its selection before the device exists. Then there are no ranks, and no
 * clean way to fail. So with a decision file, the root contains MPICH's defaults at first. Once the
 * world exists, agree.c requests the rules (shared_file.c) and reports a wrong file. Communicators
 * that exist already, MPI_COMM_WORLD among them, then receive their part of the new root.
 */
#include "mpir/internal.h"

#include "algorithms/network.h"
#include "algorithms/shared/lists.h"
#include "algorithms/shared/plans.h"
#include "select/jsonc.h"
#include "node/node_memory.h"
#include "select/rule_tree.h"

#include <unistd.h>

/* MPICH's allocation: with --enable-g=mem, MPICH reports at the end memory that is not freed. */
static void *mpich_realloc(void *pointer, size_t size)
{
    return MPL_realloc(pointer, size, MPL_MEM_COLL);
}

static void mpich_free(void *pointer)
{
    MPL_free(pointer);
}

static struct {
    const char *file;           /* requested; NULL: none */
    anypi_decision *decision;   /* in force; NULL: none */
    bool bad;
    anypi_diagnosis diagnosis;
    bool waits;                 /* the root contains MPICH's defaults until the file has been
                                 * read */
    void **root;                /* of the tree that AnyP makes; NULL: MPICH makes it */
    MPIR_Comm **comms;          /* communicators that have a part of this root */
    int comms_count, comms_capacity;
    bool comms_lost;            /* there was no memory to list all of them */
} start;

const anypi_decision *anypi_mpir_decision(void)
{
    return start.decision;
}

const char *anypi_mpir_decision_file(void)
{
    return start.file;
}

const anypi_diagnosis *anypi_mpir_diagnosis(void)
{
    return start.bad ? &start.diagnosis : NULL;
}

/* Returns the decision file to use, or NULL. */
static const char *find_file(void)
{
    if (*MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)
        return MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE;
    if (MPIR_CVAR_ANYP_SYSTEM_FILE && access(ANYP_SYSTEM_FILE, F_OK) == 0)
        return ANYP_SYSTEM_FILE;
    return NULL;
}

/* Makes a container of "algorithm=..." for MPICH's reader, and moves the rule's number, which MPICH
 * does not know, from the object to the container. */
static void *create_container(struct json_object *object)
{
    const struct json_object *rule = anypi_json_member(object, "rule", json_type_int);
    const int number = rule ? json_object_get_int(rule) : ANYPI_RULE_OF_DEFAULTS;
    json_object_object_del(object, "rule");
    MPII_Csel_container_s *container = MPII_Create_container(object);
    container->anyp_rule = number;
    return container;
}

bool anypi_mpir_tree_is_own(void)
{
    return start.root;
}

/* Sets *text to the complete tree for MPICH's reader. Without memory there are no rules. */
static void complete(anyp_status status, char **text)
{
    *text = NULL;
    if (status == ANYP_SUCCESS)
        status = anypi_decision_complete(start.decision, MPII_coll_generic_json,
                                         MPIR_CVAR_ANYP_REPRODUCIBLE, text);
    start.bad = status != ANYP_SUCCESS;
    if (!start.bad)
        return;
    anypi_decision_free(start.decision);
    start.decision = NULL;
    if (!*start.diagnosis.text)
        snprintf(start.diagnosis.text, sizeof start.diagnosis.text, "%s: %s",
                 start.file ? start.file : "MPIR_CVAR_ANYP_REPRODUCIBLE",
                 anyp_status_text(status));
}

bool anypi_mpir_select_init(void **root)
{
    anypi_use_allocator((anypi_allocator) { mpich_realloc, mpich_free });
    const char *network = *MPIR_CVAR_ANYP_NETWORK ? MPIR_CVAR_ANYP_NETWORK : NULL;
    const char *fault = anypi_network_set(network);
    start.file = find_file();
    if (MPIR_CVAR_ANYP_REPRODUCIBLE != 0 && MPIR_CVAR_ANYP_REPRODUCIBLE != 1) {
        start.bad = true;
        snprintf(start.diagnosis.text, sizeof start.diagnosis.text,
                 "MPIR_CVAR_ANYP_REPRODUCIBLE=%d: expected 0 or 1", MPIR_CVAR_ANYP_REPRODUCIBLE);
        return false;
    }
    if (fault) {
        start.bad = true;
        snprintf(start.diagnosis.text, sizeof start.diagnosis.text,
                 "MPIR_CVAR_ANYP_NETWORK=%s: %s; expected a list such as %s", network, fault,
                 ANYPI_NETWORK_DEFAULT);
        return false;
    }
    if (!start.file && !MPIR_CVAR_ANYP_REPRODUCIBLE)
        return false;
    /* a device may use any brackets, so its collectives are off unless the user insists on them */
    const bool device = MPIR_CVAR_ANYP_REPRODUCIBLE &&
        MPIR_CVAR_DEVICE_COLLECTIVES == MPIR_CVAR_DEVICE_COLLECTIVES_all;
    if (MPIR_CVAR_ANYP_REPRODUCIBLE && !device)
        MPIR_CVAR_DEVICE_COLLECTIVES = MPIR_CVAR_DEVICE_COLLECTIVES_none;
    char *text = NULL;
    start.bad = device;
    if (device)
        snprintf(start.diagnosis.text, sizeof start.diagnosis.text,
                 "MPIR_CVAR_DEVICE_COLLECTIVES=all asks for the device's own algorithms, and "
                 "MPIR_CVAR_ANYP_REPRODUCIBLE excludes these: unset one of the two");
    start.waits = start.file && !start.bad;
    start.root = root;
    if (!start.file && !start.bad)
        complete(ANYP_SUCCESS, &text);
    MPIR_Csel_create_from_buf(text ? text : MPII_coll_generic_json, create_container, root);
    anypi_free(text);
    return true;
}

void anypi_mpir_comm_made(MPIR_Comm *comm)
{
    if (!start.waits)
        return;
    MPIR_Comm **comms = anypi_grow(start.comms, &start.comms_capacity, start.comms_count,
                                   sizeof *comms);
    start.comms_lost |= !comms;
    if (comms) {
        start.comms = comms;
        start.comms[start.comms_count++] = comm;
    }
}

void anypi_mpir_comm_forget(const MPIR_Comm *comm)
{
    for (int i = 0; i < start.comms_count;)
        if (start.comms[i] == comm)
            start.comms[i] = start.comms[--start.comms_count];
        else
            i++;
}

static void forget_all(void)
{
    anypi_free(start.comms);
    start.comms = NULL;
    start.comms_count = start.comms_capacity = 0;
    start.comms_lost = start.waits = false;
}

/* Makes the root again, and the communicators' parts of it. Returns an MPI error code. */
static int replace_root(const char *text)
{
    void *const before = *start.root;
    MPIR_Csel_create_from_buf(text, create_container, start.root);
    for (int i = 0; i < start.comms_count; i++) {
        MPIR_Comm *comm = start.comms[i];
        int error = MPIR_Csel_free(comm->csel_comm);
        if (!error)
            error = MPIR_Csel_prune(*start.root, comm, &comm->csel_comm);
        if (error)
            return error;
    }
    return MPIR_Csel_free(before);
}

int anypi_mpir_take_rules(anyp_status status, anypi_decision *decision,
                          const anypi_diagnosis *diagnosis)
{
    char *text;
    start.decision = decision;
    start.diagnosis = *diagnosis;
    complete(start.comms_lost ? ANYP_ERR_MEMORY : status, &text);
    const int error = text ? replace_root(text) : MPI_SUCCESS;
    anypi_free(text);
    forget_all();
    if (start.decision && MPIR_Process.rank == 0 && anypi_decision_asks_memory(start.decision))
        fprintf(stderr, "anyp: %s: inside MPICH, memory=host always holds; to apply memory=device, "
                "use the plug-in\n", start.file);
    return error;
}

const char *anypi_mpir_select_source(void)
{
    return start.file ? start.file : "MPICH's defaults";
}

void anypi_mpir_finalize(void)
{
    anypi_log_finish();
    anypi_mpir_node_close();
    anypi_decision_free(start.decision);
    start.decision = NULL;
    start.file = NULL;
    start.root = NULL;
    start.bad = false;
    forget_all();
    anypi_plans_free();
    anypi_cache_end();
    anypi_network_set(NULL);
    anypi_lists_free();
}

/* Sets a parameter from one "name=value" of a rule. The file has been checked. So a wrong text here
 * does not come from a file, and the parameter keeps its default. */
static void set_parameter(const anyp_algorithm *algorithm, int *values, const char *key)
{
    char text[ANYP_VALUE_SIZE + 64], *value;
    const char *reason;
    size_t length = 0;
    for (; *key && length + 1 < sizeof text; key++)
        if (*key != ' ')
            text[length++] = *key;
    text[length] = '\0';
    value = strchr(text, '=');
    if (value) {
        *value++ = '\0';
        anyp_parameter_set(algorithm, values, text, value, &reason);
    }
}

void anypi_mpir_container(struct json_object *obj, const char *algorithm, int *values)
{
    const anyp_algorithm *found = anyp_algorithm_find(algorithm);
    MPIR_Assert(found);
    anyp_parameters_default(found, values);
    if (!json_object_is_type(obj, json_type_object))
        return;
    struct json_object_iterator next = json_object_iter_begin(obj);
    const struct json_object_iterator end = json_object_iter_end(obj);
    for (; !json_object_iter_equal(&next, &end); json_object_iter_next(&next))
        set_parameter(found, values, json_object_iter_peek_name(&next));
}
