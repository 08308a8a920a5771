# SPDX-License-Identifier: BSD-3-Clause
# The programs of test/mpi for the plug-in, compiled by the wrapper of each MPI library that it was
# built for, in plugin/FAMILY/test: `make plugin-tests`.
EXTRA_DIST += test/plugin/keep.c test/plugin/leaks.txt \
    test/plugin/patience.c test/plugin/races.txt

plugin_test_families =
if HAVE_MPICH
plugin_test_families += plugin-tests-mpich
endif
if HAVE_OPENMPI
plugin_test_families += plugin-tests-openmpi
endif
if HAVE_ABI
plugin_test_families += plugin-tests-abi
endif

plugin-tests: all $(plugin_test_families)

# Sessions came with MPI 4.
plugin-tests-mpich: all
	$(MAKE) $(AM_MAKEFLAGS) plugin-tests-of FAMILY=mpich PLUGIN_CC='$(MPICH_MPICC)' \
	    PLUGIN_MORE='patience.so session'

plugin-tests-openmpi: all
	$(MAKE) $(AM_MAKEFLAGS) plugin-tests-of FAMILY=openmpi PLUGIN_CC='$(OPENMPI_MPICC)' PLUGIN_MORE=

plugin-tests-abi: all
	$(MAKE) $(AM_MAKEFLAGS) plugin-tests-of FAMILY=abi PLUGIN_CC='$(ABI_MPICC)' \
	    PLUGIN_MORE='patience.so session'

# What follows is for one FAMILY.
plugin_of = plugin/$(FAMILY)
plugin_test_cc = $(PLUGIN_CC) $(CPPFLAGS) $(AM_CPPFLAGS) -I$(srcdir)/tuning $(AM_CFLAGS) $(CFLAGS)
plugin_test_control = $(srcdir)/test/mpi/control.c $(srcdir)/test/mpi/control_plugin.c
plugin_test_conformance = $(srcdir)/test/mpi/conformance.c $(srcdir)/test/mpi/call.c \
    $(srcdir)/test/mpi/cases.c $(srcdir)/test/mpi/choices.c $(srcdir)/test/mpi/kinds.c \
    $(srcdir)/test/mpi/local.c \
    $(plugin_test_control)
# A copy of AnyP's code, since the plug-in shows none of its own.
plugin_test_core = libanypcore.a $(JSONC_LIBS) -ldl -lm $(LIBS)
plugin_test_link = -L$(plugin_of) -lanyp-$(FAMILY) -Wl,-rpath,$(abs_builddir)/$(plugin_of) \
    $(plugin_test_core)
plugin_test_needs = $(mpi_test_sources) $(plugin_of)/libanyp-$(FAMILY).so.1 include/anyp_control.h

plugin-tests-of: $(plugin_of)/test/conformance $(plugin_of)/test/contexts \
    $(plugin_of)/test/errors \
    $(plugin_of)/test/killed $(plugin_of)/test/memory \
    $(plugin_of)/test/preloaded $(plugin_of)/test/soak \
    $(plugin_of)/test/spawn $(plugin_of)/test/threads \
    $(plugin_of)/test/cut.so $(plugin_of)/test/keep.so \
    $(PLUGIN_MORE:%=$(plugin_of)/test/%)

$(plugin_of)/test/conformance: $(plugin_test_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(plugin_test_conformance) $(plugin_test_link)

# The same without the plug-in.
$(plugin_of)/test/preloaded: $(plugin_test_needs) libanypcore.a
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(plugin_test_conformance) $(plugin_test_core)

$(plugin_of)/test/contexts: $(plugin_test_needs) test/plugin/contexts.c test/plugin/calls.c \
    test/plugin/calls.h
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -pthread -o $@ $(srcdir)/test/plugin/contexts.c \
	    $(srcdir)/test/plugin/calls.c -ldl

$(plugin_of)/test/errors: $(plugin_test_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(srcdir)/test/mpi/errors.c \
	    $(plugin_test_control) $(plugin_test_link)

$(plugin_of)/test/killed: $(plugin_test_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(srcdir)/test/mpi/killed.c $(plugin_test_control) \
	    $(plugin_test_link)

$(plugin_of)/test/memory: $(plugin_test_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(srcdir)/test/mpi/memory.c $(srcdir)/test/mpi/call.c \
	    $(srcdir)/test/mpi/kinds.c $(srcdir)/test/mpi/local.c $(plugin_test_control) \
	    $(plugin_test_link)

$(plugin_of)/test/threads: $(plugin_test_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -pthread -o $@ $(srcdir)/test/mpi/threads.c \
	    $(plugin_test_control) $(plugin_test_link)

$(plugin_of)/test/soak: $(soak_sources) $(plugin_test_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -pthread -o $@ $(soak_files) \
	    $(plugin_test_control) $(plugin_test_link)

$(plugin_of)/test/spawn: test/mpi/spawn.c
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(srcdir)/test/mpi/spawn.c

$(plugin_of)/test/session: test/mpi/session.c
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(plugin_test_cc) -o $@ $(srcdir)/test/mpi/session.c

# A plug-in that takes 50 elements for more than an int counts, and has 24 contexts.
$(plugin_of)/test/cut.so: $(plugin_needs)
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(PLUGIN_CC) $(plugin_compile) -Wl,-soname,libanyp-$(FAMILY).so.1 \
	    -DANYPI_MAX_COUNT=50 -DANYPI_MAX_CONTEXTS=24 -Wl,--as-needed -o $@ $(plugin_link)

$(plugin_of)/test/patience.so: test/plugin/patience.c
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(CC) $(CPPFLAGS) $(AM_CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ \
	    $(srcdir)/test/plugin/patience.c -ldl

# For sanitizers.
$(plugin_of)/test/keep.so: test/plugin/keep.c
	@$(MKDIR_P) $(plugin_of)/test
	$(AM_V_CCLD)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $(srcdir)/test/plugin/keep.c

.PHONY: plugin-tests plugin-tests-mpich plugin-tests-openmpi plugin-tests-abi plugin-tests-of
