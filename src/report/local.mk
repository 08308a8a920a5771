# SPDX-License-Identifier: BSD-3-Clause
# anyp report: a page about the measurements of anyp-tune, or about a program's record.
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
    src/report/run.h \
    src/report/run_files.c \
    src/report/run_gain.c \
    src/report/run_lines.c \
    src/report/run_page.c \
    src/report/run_pictures.c \
    src/report/run_table.c \
    src/report/headline.c
