# SPDX-License-Identifier: BSD-3-Clause
libanypcore_a_SOURCES += \
    src/select/check_keys.c \
    src/select/check_rules.c \
    src/select/check_rules.h \
    src/select/complete_rules.c \
    src/select/conditions.def \
    src/select/decision.c \
    src/select/decision.h \
    src/select/decision_messages.c \
    src/select/jsonc.h \
    src/select/mpich.c \
    src/select/mpich.def \
    src/select/mpich.h \
    src/select/mpich_table.c \
    src/select/parse_json.c \
    src/select/check_algorithm.c \
    src/select/rule_for_call.c \
    src/select/rule_tree.c \
    src/select/rule_tree.h \
    src/select/text.c \
    src/select/text.h \
    src/select/vocabulary.c \
    src/select/vocabulary.h \
    src/select/write_rules.c

# MPICH's names: those that are compiled in, and a table for each release, for --mpich. Like
# configure they are made in the source folder, so that releases of AnyP contain them.
EXTRA_DIST += src/select/mpich.names src/select/mpich/4.0.json
BUILT_SOURCES += $(srcdir)/src/select/mpich.def
$(srcdir)/src/select/mpich.def: $(srcdir)/src/select/mpich.names $(srcdir)/maint/mpich_names.py
	$(AM_V_GEN)python3 -B $(srcdir)/maint/mpich_names.py
src/select/mpich.$(OBJEXT): $(srcdir)/src/select/mpich.def

# The names of 4.0 are compiled in.
anypmpichdir = $(datadir)/anyp/mpich
dist_anypmpich_DATA = \
    src/select/mpich/4.1.json \
    src/select/mpich/4.2.json \
    src/select/mpich/4.3.json \
    src/select/mpich/5.0.json \
    src/select/mpich/5.1.json
