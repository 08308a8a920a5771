# SPDX-License-Identifier: BSD-3-Clause
# netlab: an emulated cluster. The switch needs no MPI; what runs in it is compiled by the wrapper
# of the MPICH that has AnyP inside.
EXTRA_PROGRAMS += test/netlab/netlab
test_netlab_netlab_SOURCES = \
    test/netlab/netlab.c \
    test/netlab/ports.c \
    test/netlab/ports.h \
    test/netlab/switch.c \
    test/netlab/switch.h
test_netlab_netlab_LDADD =
CLEANFILES += test/netlab/netlab$(EXEEXT) test/netlab/proof test/netlab/measure test/netlab/forms \
    test/netlab/blocking.so

netlab_together = $(srcdir)/test/netlab/together.c
netlab_measure_sources = $(srcdir)/test/netlab/measure.c $(srcdir)/test/netlab/rivals.c \
    $(srcdir)/tuning/measure/clock.c $(srcdir)/tuning/measure/workload.c \
    $(srcdir)/tuning/measure/steer_mpit.c
netlab_forms_sources = $(srcdir)/test/netlab/forms.c $(srcdir)/test/bench/statistics.c \
    $(srcdir)/tuning/measure/clock.c $(srcdir)/tuning/measure/workload.c \
    $(srcdir)/tuning/measure/steer_mpit.c
EXTRA_DIST += \
    test/netlab/blocking.c \
    test/netlab/forms.c \
    test/netlab/measure.c \
    test/netlab/proof.c \
    test/netlab/rivals.c \
    test/netlab/rivals.h \
    test/netlab/self-test \
    test/netlab/together.c \
    test/netlab/together.h
dist_noinst_SCRIPTS += test/netlab/collect test/netlab/programs test/netlab/run

test/netlab/proof: $(srcdir)/test/netlab/proof.c $(netlab_together) \
    $(srcdir)/test/netlab/together.h
	$(AM_V_CC)$(MKDIR_P) test/netlab && $(MPICC) $(tuning_compile) -o $@ \
	    $(srcdir)/test/netlab/proof.c $(netlab_together) -lm

test/netlab/measure: $(netlab_measure_sources) $(netlab_together) \
    $(srcdir)/test/netlab/rivals.h $(srcdir)/test/netlab/together.h $(tuning_headers) \
    $(tuning_libraries)
	$(AM_V_CC)$(MKDIR_P) test/netlab && $(MPICC) $(tuning_compile) -o $@ \
	    $(netlab_measure_sources) $(netlab_together) $(tuning_link)

test/netlab/forms: $(netlab_forms_sources) $(netlab_together) $(srcdir)/test/netlab/together.h \
    $(srcdir)/test/bench/statistics.h $(tuning_headers) $(tuning_libraries)
	$(AM_V_CC)$(MKDIR_P) test/netlab && $(MPICC) $(tuning_compile) -I$(srcdir)/test -o $@ \
	    $(netlab_forms_sources) $(netlab_together) $(tuning_link)

# for test/netlab/programs, which runs programs with Open MPI
test/netlab/blocking.so: $(srcdir)/test/netlab/blocking.c
	@$(MKDIR_P) test/netlab
	$(AM_V_CCLD)$(CC) $(CPPFLAGS) $(AM_CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ \
	    $(srcdir)/test/netlab/blocking.c -ldl

netlab-programs: test/netlab/netlab$(EXEEXT) test/netlab/proof test/netlab/measure \
    test/netlab/forms
.PHONY: netlab-programs
