# SPDX-License-Identifier: BSD-3-Clause
# A soak test: random calls, inside MPICH (`make mpi-tests`) and in the plug-in (`make
# plugin-tests`).
soak_sources = \
    test/soak/draw.c \
    test/soak/lane.c \
    test/soak/memory.c \
    test/soak/soak.c \
    test/soak/soak.h \
    test/soak/watch.c
EXTRA_DIST += $(soak_sources)
dist_noinst_SCRIPTS += test/soak/run

soak_files = $(srcdir)/test/soak/draw.c $(srcdir)/test/soak/lane.c $(srcdir)/test/soak/memory.c \
    $(srcdir)/test/soak/soak.c $(srcdir)/test/soak/watch.c $(srcdir)/test/mpi/call.c \
    $(srcdir)/test/mpi/cases.c $(srcdir)/test/mpi/kinds.c $(srcdir)/test/mpi/local.c

test/soak/soak: $(soak_sources) $(mpi_test_sources) libanypcore.a
	@$(MKDIR_P) test/soak
	$(AM_V_CCLD)$(MPI_TEST_CC) -pthread -o $@ $(soak_files) $(mpi_test_control) libanypcore.a \
	    $(JSONC_LIBS) -ldl -lm

CLEANFILES += test/soak/soak
