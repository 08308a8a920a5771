/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/measure.h"

#include "measure/results.h"
#include "tuner/candidates.h"
#include "tuner/node_shapes.h"
#include "schedule/schedule.h"
#include "select/jsonc.h"
#include "select/text.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The host of a rank and the rank's place there. */
typedef struct place {
    uint64_t host, processor;   /* numbers that stand for their names */
    uint64_t allowed;           /* a number for the set of processors that the rank may use */
} place;

/* Writes the model of the processors, as Linux names it; if unknown, the system's name for them. */
static void processor_name(char *text, size_t size, const struct utsname *system)
{
    char line[512], *colon;
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "%s", system->machine);
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10) && (colon = strchr(line, ':'))) {
            colon++;
            colon += strspn(colon, " ");
            snprintf(text, size, "%.*s", (int) strcspn(colon, "\n"), colon);
            break;
        }
    if (file)
        fclose(file);
}

/* Returns a number for the set of processors that the rank may use; 0: unknown. */
static uint64_t allowed_processors(void)
{
    cpu_set_t set;
    uint64_t hash = 1;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            hash = anypi_hash_ints(hash, (int) i, 0);
    return hash;
}

static int by_host(const void *one, const void *other)
{
    const uint64_t a = ((const place *) one)->host, b = ((const place *) other)->host;
    return (a > b) - (a < b);
}

__attribute__((format(printf, 3, 4)))
static void say(struct json_object *run, const char *name, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_object_object_add(run, name, json_object_new_string(text));
}

/* Describes the hosts, whatever the order of ranks: names, processors and how ranks are placed. */
static void say_places(struct json_object *run, place *all, int size, const char *processor)
{
    int hosts = 0, least = size, most = 0;
    bool bound = false, same = true;
    uint64_t names = 0;
    qsort(all, (size_t) size, sizeof *all, by_host);
    for (int i = 0, end; i < size; i = end) {
        for (end = i; end < size && all[end].host == all[i].host; end++) {
            bound = bound || all[end].allowed != all[i].allowed;
            same = same && all[end].processor == all[0].processor;
        }
        least = end - i < least ? end - i : least;
        most = end - i > most ? end - i : most;
        names = anypi_hash_ints(names ^ all[i].host, hosts++, 0);
    }
    say(run, "hosts", "%d", hosts);
    say(run, "host names", "%016llx", (unsigned long long) names);
    say(run, "processor", "%s%s", processor, same ? "" : ", and others");
    say(run, "cores", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    say(run, "ranks of a host", least < most ? "%d to %d" : "%d", least, most);
    /* with one rank on each host this cannot be known, and does not matter much */
    say(run, "binding", "%s", most == 1 ? "one rank on a host" : bound
        ? "ranks have processors of their own" : "none");
}

/* Describes the machine and the software. On all ranks; false without memory, on rank 0. */
static bool say_machine(const anypi_session *session, struct json_object *run)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "", processor[256];
    struct utsname system = { .machine = "unknown" };
    int length;
    uname(&system);
    processor_name(processor, sizeof processor, &system);
    MPI_Get_processor_name(name, &length);
    place own = { anypi_hash_text(ANYPI_HASH, name), anypi_hash_text(ANYPI_HASH, processor),
                  allowed_processors() };
    place *all = session->rank ? NULL : calloc((size_t) session->max, sizeof *all);
    /* all take part, even if rank 0 has no memory */
    int room = session->rank || all;
    MPI_Bcast(&room, 1, MPI_INT, 0, session->world);
    if (!room)
        return false;
    PMPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, session->world);
    if (session->rank)
        return true;
    say(run, "date", "%s", anypi_date());
    say(run, "MPI", "%.*s", (int) strcspn(session->library, "\n"), session->library);
    say(run, "AnyP", "%s", PACKAGE_VERSION);
    say_places(run, all, session->max, processor);
    free(all);
    return true;
}

struct json_object *anypi_describe_run(const anypi_session *session)
{
    const anypi_plan *plan = session->plan;
    struct json_object *run = session->rank ? NULL : json_object_new_object();
    char text[4096];
    size_t used;
    if (!say_machine(session, run) || !run) {
        json_object_put(run);
        return NULL;
    }
    used = 0;
    for (int i = 0; i < plan->procs_count && used < sizeof text; i++)
        used += (size_t) snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                  anypi_procs_text(plan->procs[i], plan->nodes[i]).text);
    say(run, "processes", "%s", text);
    used = 0;
    for (int i = 0; i < plan->sizes_count && used < sizeof text; i++)
        used += (size_t) snprintf(text + used, sizeof text - used, "%s%lld", i ? ", " : "",
                                  (long long) plan->sizes[i]);
    say(run, "sizes", "%s", text);
    used = (size_t) snprintf(text, sizeof text, "%s",
                            session->options->all ? "all candidates: " : "");
    for (int i = 0; i < ANYP_COLLECTIVES && used < sizeof text; i++)
        if (plan->wanted[i])
            used += (size_t) snprintf(text + used, sizeof text - used, "%s ",
                                      anypi_form_name((anyp_collective) i));
    say(run, "collectives", "%s", text);
    say(run, "operators", "%s%s%s", plan->unwanted[0] ? "" : "sum ",
        plan->unwanted[1] ? "" : "matrix ", plan->only_anyp ? "only AnyP" : "");
    return run;
}
