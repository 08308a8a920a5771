/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include <mpi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *heard;                     /* the read end of stderr's pipe during a capture */
static int true_stderr = -1;

void control_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("test: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

bool control_listen(void)
{
#ifdef RANKS_SHARE_STDERR
    return false;
#endif
    fflush(stderr);
    heard = tmpfile();
    true_stderr = dup(STDERR_FILENO);
    if (!heard || true_stderr < 0 || dup2(fileno(heard), STDERR_FILENO) < 0)
        control_fail("cannot redirect stderr to a temporary file");
    return true;
}

void control_heard(char *text, size_t size)
{
    fflush(stderr);
    dup2(true_stderr, STDERR_FILENO);
    close(true_stderr);
    rewind(heard);
    text[fread(text, 1, size - 1, heard)] = '\0';
    fclose(heard);
}
