# SPDX-License-Identifier: BSD-3-Clause
# The plug-in as its users meet it, with the MPIs that the build has one for: `make check-plugin`.
plugin_test_scripts = test/plugin/behaviour test/plugin/communicators \
    test/plugin/conformance test/plugin/installed \
    test/plugin/job test/plugin/neighbors test/plugin/ptscotch test/plugin/record test/plugin/rmpi \
    test/plugin/rules test/plugin/run-command test/plugin/shape test/plugin/share test/plugin/tune
dist_noinst_SCRIPTS += $(plugin_test_scripts) test/plugin/launch test/plugin/mpi4py \
    test/plugin/sanitized
EXTRA_DIST += test/plugin/lib.sh test/plugin/programs.sh test/plugin/rmpi.R test/plugin/sum.c

# test/plugin/behaviour compiles these itself.
EXTRA_DIST += test/plugin/alike.c test/plugin/arguments.c test/plugin/beside.c \
    test/plugin/bindings.c test/plugin/calls.c test/plugin/calls.h test/plugin/contexts.c \
    test/plugin/device.c test/plugin/driver.c test/plugin/fortran.F90 test/plugin/full_memory.c \
    test/plugin/handlers.c \
    test/plugin/large.c test/plugin/loader.c test/plugin/many.c test/plugin/neighborhood.c \
    test/plugin/opened.c \
    test/plugin/outside.c test/plugin/outside.F90 test/plugin/phases.F90 \
    test/plugin/private.c test/plugin/progress.c \
    test/plugin/recorded.c \
    test/plugin/reset.c \
    test/plugin/results.c test/plugin/sections.c test/plugin/sessions.c test/plugin/spy.c \
    test/plugin/valgrind.py test/plugin/virtual.c test/plugin/waits.c

check-plugin: plugin-tests
	for script in $(plugin_test_scripts); do \
	    $(srcdir)/$$script --build . || exit 1; done
.PHONY: check-plugin
