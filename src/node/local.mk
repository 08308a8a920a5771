# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/node/lanes.c \
    src/node/lanes.h \
    src/node/loops.c \
    src/node/loops.h \
    src/node/outbox.c \
    src/node/outbox.h \
    src/node/segment.c \
    src/node/segment.h
