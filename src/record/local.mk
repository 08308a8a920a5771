# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/record/record.c \
    src/record/record.h \
    src/record/record_sites.c \
    src/record/record_text.c
