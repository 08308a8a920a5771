/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delay.h - delays a thread of stress.c at each word that it shares. The compiler reads it first.
 */
#ifndef STRESS_DELAY_H_INCLUDED
#define STRESS_DELAY_H_INCLUDED

void stress_delay(void);
#define ANYPI_SHARED_DELAY() stress_delay()

#endif
