# SPDX-License-Identifier: BSD-3-Clause
# anyp: the command-line tool, without MPI. All but its main() is a library, which the generator of
# the manuals needs, too.
noinst_LIBRARIES += libanyptool.a
libanyptool_a_SOURCES = \
    src/options/command_line.c \
    src/options/command_line.h \
    src/settings/settings.c \
    src/settings/variables.c \
    src/tools/best.c \
    src/tools/calls.c \
    src/tools/calls.h \
    src/tools/check.c \
    src/tools/commands.c \
    src/tools/cost.c \
    src/tools/draw.c \
    src/tools/draw.h \
    src/tools/jobs.c \
    src/tools/jobs.h \
    src/tools/json.c \
    src/tools/json.h \
    src/tools/list.c \
    src/tools/loader.c \
    src/tools/loader.h \
    src/tools/mpi.c \
    src/tools/mpi.h \
    src/tools/options.c \
    src/tools/options.h \
    src/tools/picture.c \
    src/tools/plugin.c \
    src/tools/plugin.h \
    src/tools/run.c \
    src/tools/schedule.c \
    src/tools/select.c \
    src/tools/settings.c \
    src/tools/settings.h \
    src/tools/tool.c \
    src/tools/tool.h \
    src/tools/verify.c
libanyptool_a_CPPFLAGS = $(AM_CPPFLAGS) -DANYP_BINDIR='"$(bindir)"' \
    -DANYP_PLUGINDIR='"$(pkglibdir)"'

bin_PROGRAMS += anyp
anyp_SOURCES = src/tools/anyp.c
anyp_LDADD = libanyptool.a libanypanalysis.a libanypcore.a $(JSONC_LIBS) -lm -ldl -lpthread
