# SPDX-License-Identifier: BSD-3-Clause
# libanypcore.a: schedules, algorithms and select; no MPI.
noinst_LIBRARIES += libanypcore.a
libanypcore_a_SOURCES = \
    src/schedule/argument_shapes.h \
    src/schedule/bracketing.h \
    src/schedule/call.c \
    src/schedule/collectives.c \
    src/schedule/collectives.def \
    src/schedule/collectives.h \
    src/schedule/early.h \
    src/schedule/layout.h \
    src/schedule/memory.c \
    src/schedule/memory.h \
    src/schedule/shape.c \
    src/schedule/shape_query.c \
    src/schedule/shape_text.c \
    src/schedule/shape.h \
    src/schedule/partition.h \
    src/schedule/ranks.h \
    src/schedule/schedule.c \
    src/schedule/schedule.h \
    src/schedule/set.c \
    src/schedule/set.h \
    src/schedule/threads.h
