# SPDX-License-Identifier: BSD-3-Clause
# anyp: the command-line tool, without MPI.
bin_PROGRAMS += anyp
anyp_SOURCES = \
    src/tools/anyp.c \
    src/tools/best.c \
    src/tools/calls.c \
    src/tools/calls.h \
    src/tools/check.c \
    src/tools/cost.c \
    src/tools/draw.c \
    src/tools/draw.h \
    src/tools/jobs.c \
    src/tools/jobs.h \
    src/tools/json.c \
    src/tools/json.h \
    src/tools/list.c \
    src/tools/names.c \
    src/tools/names.h \
    src/tools/options.c \
    src/tools/options.h \
    src/tools/picture.c \
    src/tools/picture.h \
    src/tools/schedule.c \
    src/tools/select.c \
    src/tools/tool.h \
    src/tools/verify.c
anyp_LDADD = libanypcore.a $(JSONC_LIBS) -lm
