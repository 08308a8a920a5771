# SPDX-License-Identifier: BSD-3-Clause
# Not in the plug-in, and not copied into MPICH.
noinst_LIBRARIES += libanypanalysis.a
libanypanalysis_a_SOURCES = \
    src/analysis/best.c \
    src/analysis/best.h \
    src/analysis/bits.h \
    src/analysis/check.c \
    src/analysis/check.h \
    src/analysis/count_sample.c \
    src/analysis/count_sample.h \
    src/analysis/eager.c \
    src/analysis/eager.h \
    src/analysis/estimate.c \
    src/analysis/estimate.h \
    src/analysis/expression.c \
    src/analysis/expression.h \
    src/analysis/heap.c \
    src/analysis/heap.h \
    src/analysis/local_check.c \
    src/analysis/local_check.h \
    src/analysis/local_stages.c \
    src/analysis/local_stages.h \
    src/analysis/pieces.c \
    src/analysis/pieces.h \
    src/analysis/prove.c \
    src/analysis/prove.h \
    src/analysis/prove_sample.c \
    src/analysis/prove_sample.h \
    src/analysis/rank_sample.c \
    src/analysis/rank_sample.h \
    src/analysis/replay.c \
    src/analysis/replay.h \
    src/analysis/runs.h \
    src/analysis/simulate.c \
    src/analysis/simulate.h \
    src/analysis/sizes.h \
    src/analysis/sweep.c \
    src/analysis/sweep.h \
    src/analysis/symbols.c \
    src/analysis/symbols.h \
    src/analysis/uneven.h \
    src/analysis/usual_choice.c \
    src/analysis/usual_choice.h \
    src/analysis/verify.c \
    src/analysis/verify.h
