/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interrupt.h - SIGINT and SIGTERM end the measurement, not the program, so that times are saved.
 */
#ifndef ANYPI_INTERRUPT_H_INCLUDED
#define ANYPI_INTERRUPT_H_INCLUDED

/* From now on these signals are only noted. Not if there is another handler already, as in
 * simulators, whose ranks are one process. */
void anypi_interrupt_watch(void);
/* The signal that has come to this rank; 0: none. */
int anypi_interrupt(void);

#endif
