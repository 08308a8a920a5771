# SPDX-License-Identifier: BSD-3-Clause
# anyp report: a page of what anyp-tune has measured.
noinst_LIBRARIES += libanypreport.a
libanypreport_a_SOURCES = \
    src/report/curve.c \
    src/report/finding.c \
    src/report/finding.h \
    src/report/map.c \
    src/report/marks.c \
    src/report/markup.c \
    src/report/markup.h \
    src/report/model.c \
    src/report/page.c \
    src/report/parts.h \
    src/report/report.h \
    src/report/headline.c
