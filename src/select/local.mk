# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/select/check.c \
    src/select/check.h \
    src/select/choose.c \
    src/select/complete.c \
    src/select/conditions.def \
    src/select/decision.c \
    src/select/decision.h \
    src/select/facts.c \
    src/select/jsonc.h \
    src/select/leaf.c \
    src/select/messages.c \
    src/select/mpich.c \
    src/select/mpich.def \
    src/select/mpich.h \
    src/select/objects.c \
    src/select/rules.c \
    src/select/source.c \
    src/select/table.c \
    src/select/text.c \
    src/select/text.h \
    src/select/tree.h \
    src/select/vocabulary.c \
    src/select/vocabulary.h \
    src/select/write.c

# The names of other releases of MPICH than mpich.def's, for --mpich.
anypmpichdir = $(datadir)/anyp/mpich
dist_anypmpich_DATA = \
    src/select/mpich/4.1.json \
    src/select/mpich/4.2.json \
    src/select/mpich/4.3.json \
    src/select/mpich/5.0.json \
    src/select/mpich/5.1.json
