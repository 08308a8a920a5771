/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault.h - shared by the programs of this folder: the verdict, as a line and an exit status.
 *
 *   right: ...         exit status 0: the result is as expected
 *   shows: ...         exit status 1: the fault shows
 *   cannot run: ...    exit status 77: too few processes, another release, no memory
 *
 * A program calls begin(), makes the call, and ends with verdict(). If the fault is a crash or a
 * hang, the program calls expect_crash() before the call. Its line "crash or hang: ..." means that
 * the fault also shows if no verdict follows, for example because mpiexec ends all processes.
 */
#ifndef LIBRARY_FAULT_H_INCLUDED
#define LIBRARY_FAULT_H_INCLUDED

#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RIGHT = 0, SHOWS = 1, CANNOT_RUN = 77 };

static int rank, size;
static int decided;             /* the verdict has been given */
static volatile sig_atomic_t progress;  /* a program counts its steps here, if it has many */
static const char *selection_file;      /* to be removed once MPI_Init has read it */

static inline void cannot_run(const char *why)
{
    printf("cannot run: %s\n", why);
    fflush(stdout);
    decided = 1;
    _exit(CANNOT_RUN);
}

/* Without progress for this time a call is said to hang. LIBRARY_FAULT_SECONDS changes it. */
static inline unsigned seconds(void)
{
    const char *text = getenv("LIBRARY_FAULT_SECONDS");
    return text && atoi(text) > 0 ? (unsigned) atoi(text) : 10;
}

static inline void crashed(int number)
{
    static sig_atomic_t before;
    static const char crash[] = "shows: the library crashes\n";
    static const char hang[] = "shows: the call does not return\n";
    if (number == SIGALRM && progress != before) {
        before = progress;
        alarm(seconds());
        return;
    }
    if (!decided && (number == SIGALRM ? write(1, hang, sizeof hang - 1)
                     : write(1, crash, sizeof crash - 1)) < 0)
        _exit(2);
    _exit(SHOWS);
}

/* An MPI library may end the process by exit(), for example after a failed assertion. */
static inline void exited(void)
{
    static const char end[] = "shows: the library ends the process\n";
    if (!decided)
        _exit(write(1, end, sizeof end - 1) > 0 ? SHOWS : 2);
}

/* A crash, a hang and an end by the library are the fault. */
static inline void expect_crash(void)
{
    static const int signals[] = { SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE };
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], crashed);
    atexit(exited);
    alarm(seconds());
    if (rank == 0 && !decided)
        puts("crash or hang: from here on it is the fault");
    fflush(stdout);
}

/* MPI_Init with at least `ranks` processes; errors of MPI calls are returned. */
static inline void begin(int ranks)
{
    MPI_Init(NULL, NULL);
    if (selection_file)
        unlink(selection_file);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (size < ranks) {
        char why[80];
        snprintf(why, sizeof why, "%d processes; it needs at least %d", size, ranks);
        MPI_Finalize();
        cannot_run(why);
    }
}

/* Ends the program. `wrong`: on this rank the result is not as expected; `what` is then printed.
 * Never returns. */
static inline void verdict(int wrong, const char *what)
{
    int any = 1;
    if (wrong)
        printf("shows: rank %d: %s\n", rank, what);
    fflush(stdout);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (!any && rank == 0)
        puts("right: the result is as expected");
    fflush(stdout);
    decided = 1;
    if (any)                    /* the library may no longer be able to end */
        expect_crash();
    MPI_Finalize();
    _exit(any ? SHOWS : RIGHT);
}

/* The release of MPICH as 100 * major + minor, such as 400; 0: another library. */
static inline int mpich_release(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major = 0, minor = 0;
    MPI_Get_library_version(text, &length);
    const char *number = strstr(text, "MPICH Version:");
    return number && sscanf(number + 14, " %d.%d", &major, &minor) == 2 ? 100 * major + minor : 0;
}

/* Sets a variable of the library, unless the environment has it. Before begin(). */
static inline void set_variable(const char *name, const char *value)
{
    setenv(name, value, 0);
}

/* Gives MPICH a selection file with `rules` and, for what MPICH itself calls, one algorithm of each
 * collective. Each process writes a file of its own. Before begin(). */
static inline void select_by(const char *rules)
{
    static char name[] = "/tmp/fault-rules-XXXXXX";
    if (mpich_release() >= 500)
        cannot_run("the selection file of this program has names of MPICH 4");
    const int file = mkstemp(name);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out)
        cannot_run("no file can be made in /tmp");
    fprintf(out, "{ \"comm_type=intra\": {"
            "\"collective=allreduce\": {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\":{}},"
            "\"collective=allgather\": {\"algorithm=MPIR_Allgather_intra_ring\":{}},"
            "\"collective=bcast\": {\"algorithm=MPIR_Bcast_intra_binomial\":{}},"
            "\"collective=barrier\": {\"algorithm=MPIR_Barrier_intra_dissemination\":{}},"
            "%s }}\n", rules);
    fclose(out);
    setenv("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", name, 1);
    setenv("MPIR_CVAR_DEVICE_COLLECTIVES", "none", 1);
    selection_file = name;
}

#endif
