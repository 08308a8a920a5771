/* SPDX-License-Identifier: BSD-3-Clause
 *
 * early.h - which part of a round may begin before an earlier round has ended: the steps that
 * neither need results of the earlier round nor change its operands. So receives are posted while
 * this rank still reduces, and independent rounds overlap.
 *
 * Slices are compared by the range of block indices that a round reads, or writes, in each buffer:
 * this is fast and conservative. If the ranges overlap, short rounds are compared step by step.
 */
#ifndef ANYPI_EARLY_H_INCLUDED
#define ANYPI_EARLY_H_INCLUDED

#include "schedule/schedule.h"

/* Block indices first .. end-1 of each buffer; none if end is 0. */
typedef struct anypi_touched {
    int first[ANYP_BUFFERS], end[ANYP_BUFFERS];
} anypi_touched;

static inline void anypi_touch(anypi_touched *touched, anyp_slice slice)
{
    const int b = slice.buffer;
    if (touched->end[b] == 0 || slice.first < touched->first[b])
        touched->first[b] = slice.first;
    if (slice.end > touched->end[b])
        touched->end[b] = slice.end;
}

/* `overlaid`: a reduce-scatter in place, where OUT is a part of IN. */
static inline bool anypi_is_touched(const anypi_touched *touched, anyp_slice slice, bool overlaid)
{
    const int b = slice.buffer;
    if (overlaid && b <= ANYP_OUT && touched->end[ANYP_IN + ANYP_OUT - b] > 0)
        return true;
    return slice.first < touched->end[b] && touched->first[b] < slice.end;
}

static inline const anyp_step *anypi_round_begin(const anyp_schedule *schedule, int round)
{
    return &schedule->steps[schedule->round_start[round]];
}

/* Comparing more pairs of steps than this would take long. */
enum { ANYPI_MOST_PAIRS = 1 << 16 };

/* Adds what a step reads and writes. */
static inline void anypi_touch_step(anypi_touched *read, anypi_touched *written,
                                    const anyp_step *step)
{
    if (step->kind != ANYP_RECV)
        anypi_touch(read, step->from);
    if (step->kind != ANYP_SEND)
        anypi_touch(written, step->to);
}

/* Does a message write what others read or write, or read what they write? */
static inline bool anypi_conflicts(const anyp_step *message, const anypi_touched *read,
                                   const anypi_touched *written, bool overlaid)
{
    return message->kind == ANYP_SEND ? anypi_is_touched(written, message->from, overlaid)
        : anypi_is_touched(written, message->to, overlaid) ||
        anypi_is_touched(read, message->to, overlaid);
}

/* May messages of a later round begin before `round` has ended? All of them, while the messages of
 * `round` are under way; or, if `receives`, the receives when only its local steps are left. */
static inline bool anypi_begins_early(const anyp_schedule *schedule, int round, int later,
                                      bool receives, bool overlaid)
{
    const anyp_step *const begin = anypi_round_begin(schedule, round);
    const anyp_step *const end = anypi_round_begin(schedule, round + 1);
    const anyp_step *const later_begin = anypi_round_begin(schedule, later);
    const anyp_step *const later_end = anypi_round_begin(schedule, later + 1);
    anypi_touched read = { 0 }, written = { 0 };
    for (const anyp_step *step = begin; step < end; step++)
        if (!receives || !anypi_is_message(step))
            anypi_touch_step(&read, &written, step);
    for (const anyp_step *one = later_begin; one < later_end; one++) {
        if (!anypi_is_message(one) || (receives && one->kind == ANYP_SEND) ||
            !anypi_conflicts(one, &read, &written, overlaid))
            continue;
        if ((end - begin) * (later_end - later_begin) > ANYPI_MOST_PAIRS)
            return false;
        for (const anyp_step *step = begin; step < end; step++) {
            anypi_touched its_read = { 0 }, its_written = { 0 };
            if (receives && anypi_is_message(step))
                continue;
            anypi_touch_step(&its_read, &its_written, step);
            if (anypi_conflicts(one, &its_read, &its_written, overlaid))
                return false;
        }
    }
    return true;
}

#endif
