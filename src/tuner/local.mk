# SPDX-License-Identifier: BSD-3-Clause
# The tuner without MPI: what to measure, and what to choose. A library for anyp-tune,
# anyp-bench and anyp report.
noinst_LIBRARIES += libanyptune.a
libanyptune_a_SOURCES = \
    src/options/command_line.c \
    src/options/command_line.h \
    src/options/json.c \
    src/options/json.h \
    src/options/text_file.c \
    src/options/text_file.h \
    src/tuner/arrivals.c \
    src/tuner/arrivals.h \
    src/tuner/bench_options.c \
    src/tuner/bench_options.h \
    src/tuner/bench_table.c \
    src/tuner/bench_table.h \
    src/tuner/candidates.c \
    src/tuner/wanted_calls.c \
    src/tuner/wanted_calls.h \
    src/tuner/candidates.h \
    src/tuner/contenders.c \
    src/tuner/contenders.h \
    src/tuner/regions.c \
    src/tuner/regions.h \
    src/tuner/library_names.c \
    src/tuner/decision_file.c \
    src/tuner/decision_file.h \
    src/tuner/unmeasured_line.c \
    src/tuner/generic.c \
    src/tuner/generic.h \
    src/tuner/remove_slow_rules.c \
    src/tuner/tuner_options.c \
    src/tuner/tuner_options.h \
    src/tuner/cells.c \
    src/tuner/cells.h \
    src/tuner/model_fit.c \
    src/tuner/model_fit.h \
    src/tuner/noise.c \
    src/tuner/noise.h \
    src/tuner/node_shapes.c \
    src/tuner/node_shapes.h \
    src/tuner/same_run.c \
    src/tuner/shared_rules.c \
    src/tuner/shared_rules.h \
    src/tuner/timing_file.h \
    src/tuner/timing_file_read.c \
    src/tuner/timing_file_write.c \
    src/tuner/validation.c \
    src/tuner/validation.h \
    src/tuner/validation_table.c
