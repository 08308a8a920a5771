# SPDX-License-Identifier: BSD-3-Clause
# Programs and scripts that need the grafted MPICH. `make check-mpi` builds and runs them.
mpi_test_sources = \
    test/mpi/call.c \
    test/mpi/call.h \
    test/mpi/cases.c \
    test/mpi/cases.h \
    test/mpi/choices.c \
    test/mpi/choices.h \
    test/mpi/conformance.c \
    test/mpi/control.c \
    test/mpi/control.h \
    test/mpi/control_mpir.c \
    test/mpi/control_plugin.c \
    test/mpi/each.c \
    test/mpi/errors.c \
    test/mpi/huge.c \
    test/mpi/killed.c \
    test/mpi/kinds.c \
    test/mpi/kinds.h \
    test/mpi/library.h \
    test/mpi/local.c \
    test/mpi/local.h \
    test/mpi/memory.c \
    test/mpi/orders.c \
    test/mpi/session.c \
    test/mpi/spawn.c \
    test/mpi/threads.c
mpi_test_scripts = test/mpi/run test/mpi/decisions test/mpi/noncommutative
EXTRA_DIST += $(mpi_test_sources) test/mpi/choices.py test/mpi/killed.sh test/mpi/shapes.sh \
    test/mpi/noncommutative.json
dist_noinst_SCRIPTS += $(mpi_test_scripts)

mpi_test_programs = test/mpi/conformance test/mpi/each test/mpi/errors test/mpi/huge \
    test/mpi/killed test/mpi/memory test/mpi/orders test/mpi/session test/mpi/spawn \
    test/mpi/threads
mpi_test_control = $(srcdir)/test/mpi/control.c $(srcdir)/test/mpi/control_mpir.c
MPI_TEST_CC = $(MPICC) $(CPPFLAGS) $(AM_CPPFLAGS) -I$(srcdir)/tuning $(AM_CFLAGS) $(CFLAGS)

mpi-tests: $(mpi_test_programs) test/soak/soak

test/mpi/conformance: $(mpi_test_sources) libanypcore.a
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/conformance.c $(srcdir)/test/mpi/call.c \
	    $(srcdir)/test/mpi/cases.c $(srcdir)/test/mpi/choices.c $(srcdir)/test/mpi/kinds.c \
	    $(srcdir)/test/mpi/local.c $(mpi_test_control) libanypcore.a $(JSONC_LIBS) -ldl -lm

test/mpi/each: test/mpi/each.c
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/each.c -ldl

test/mpi/huge: test/mpi/huge.c
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/huge.c

test/mpi/killed: $(mpi_test_sources) libanypcore.a
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/killed.c $(mpi_test_control) \
	    libanypcore.a $(JSONC_LIBS) -lm

test/mpi/memory: $(mpi_test_sources) libanypcore.a
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/memory.c $(srcdir)/test/mpi/call.c \
	    $(srcdir)/test/mpi/kinds.c $(srcdir)/test/mpi/local.c $(mpi_test_control) \
	    libanypcore.a $(JSONC_LIBS) -ldl -lm

test/mpi/orders: test/mpi/orders.c
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/orders.c

test/mpi/session: test/mpi/session.c
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/session.c

test/mpi/spawn: test/mpi/spawn.c
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/spawn.c

test/mpi/errors: $(mpi_test_sources) libanypcore.a
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -o $@ $(srcdir)/test/mpi/errors.c $(mpi_test_control) \
	    libanypcore.a $(JSONC_LIBS) -lm

test/mpi/threads: $(mpi_test_sources) libanypcore.a
	@$(MKDIR_P) test/mpi
	$(AM_V_CCLD)$(MPI_TEST_CC) -pthread -o $@ $(srcdir)/test/mpi/threads.c \
	    $(mpi_test_control) libanypcore.a $(JSONC_LIBS) -lm

if HAVE_MPI
check-mpi: mpi-tests
	for script in $(mpi_test_scripts); do \
	    $(srcdir)/$$script --mpiexec '$(MPIEXEC)' --build . || exit 1; done
else
check-mpi:
	@echo "check-mpi needs MPICC=PREFIX/bin/mpicc of a grafted MPICH: run configure again" >&2
	@exit 1
endif

CLEANFILES += $(mpi_test_programs)
.PHONY: mpi-tests check-mpi
