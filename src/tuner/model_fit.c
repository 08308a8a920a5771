/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/model_fit.h"

#include <math.h>

anyp_model anypi_model_fit(const anypi_probe_times *times)
{
    const double sent = times->long_message - times->short_message;
    const double max = times->short_message / 4;       /* two of them are half of it */
    /* a few messages fit into the latency; of more messages, each costs an overhead to send and one
     * to receive */
    const double more = times->several > times->few
        ? (times->several_messages - times->few_messages) / (2 * (times->several - times->few))
        : max / 2;
    const double overhead = fmax(0, fmin(more, max));
    return (anyp_model) { .alpha = times->short_message - 2 * overhead,
                          .beta = fmax(sent, 0) / times->bytes,
                          .overhead = overhead };
}

anyp_model anypi_model_fit_nodes(const anypi_probe_times *across, const anypi_probe_times *inside,
                                 double all_across, int ranks)
{
    anyp_model model = anypi_model_fit(across), within = anypi_model_fit(inside);
    const double one = across->long_message - across->short_message;
    const double all = all_across - across->short_message;
    const double max = fmin(across->short_message, inside->short_message) / 2;
    model.overhead = fmin(model.overhead, max);
    model.alpha = across->short_message - 2 * model.overhead;
    model.eager = true;
    model.inside_alpha = inside->short_message - 2 * model.overhead;
    model.inside_beta = within.beta;
    model.cards = one > 0 && all > 0 ? (int) fmin(fmax(round(ranks * one / all), 1), ranks) : 1;
    return model;
}
