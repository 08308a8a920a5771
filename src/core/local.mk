# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/core/bits.h \
    src/core/check.c \
    src/core/check.h \
    src/core/diagnose.c \
    src/core/diagnose.h \
    src/core/eager.c \
    src/core/eager.h \
    src/core/expression.c \
    src/core/expression.h \
    src/core/half_duplex.c \
    src/core/half_duplex.h \
    src/core/heap.c \
    src/core/heap.h \
    src/core/pieces.c \
    src/core/pieces.h \
    src/core/run.c \
    src/core/run.h \
    src/core/runs.h \
    src/core/simulate.c \
    src/core/simulate.h \
    src/core/symbols.c \
    src/core/symbols.h \
    src/core/verify.c \
    src/core/verify.h
