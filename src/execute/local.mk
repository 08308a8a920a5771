# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/execute/adapt.c \
    src/execute/adapt.h \
    src/execute/arguments.h \
    src/execute/blocks.c \
    src/execute/blocks.h \
    src/execute/cache.c \
    src/execute/cache.h \
    src/execute/compile.c \
    src/execute/execute.h \
    src/execute/decide.c \
    src/execute/decide.h \
    src/execute/hold.c \
    src/execute/hold.h \
    src/execute/local_plan.c \
    src/execute/local_sizes.c \
    src/execute/local_sizes.h \
    src/execute/log.c \
    src/execute/log.h \
    src/execute/program.c \
    src/execute/program.h \
    src/execute/task.h \
    src/execute/workspace.c \
    src/execute/workspace.h
