/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void anypi_interrupt_watch(void)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    /* system calls of the MPI library go on */
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART }, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        /* shells let background jobs ignore SIGINT, but mpiexec passes it on */
        if (!sigaction(numbers[i], NULL, &before) &&
            (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
            sigaction(numbers[i], &action, NULL);
}

int anypi_interrupt(void)
{
    return came;
}
