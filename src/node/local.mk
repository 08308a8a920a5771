# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/node/choose_loop.c \
    src/node/choose_loop.h \
    src/node/lanes.c \
    src/node/lanes.h \
    src/node/messages.h \
    src/node/node_memory.c \
    src/node/node_memory.h \
    src/node/outbox.c \
    src/node/outbox.h \
    src/node/reduction_loops.c \
    src/node/reduction_loops.h \
    src/node/segment.c \
    src/node/segment.h \
    src/node/waiter.c \
    src/node/waiter.h
