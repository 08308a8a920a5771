# SPDX-License-Identifier: BSD-3-Clause
# anyp-tune and anyp-bench: MPI programs, compiled by the wrapper of the MPICH that has AnyP inside
# ($(MPICC)), and as anyp-tune.FLAVOUR by those for which the plug-in is built. The part without MPI
# is src/tuner.
tuning_headers = \
    $(srcdir)/tuning/measure/budget.h \
    $(srcdir)/tuning/measure/calls.h \
    $(srcdir)/tuning/measure/clock.h \
    $(srcdir)/tuning/measure/command.h \
    $(srcdir)/tuning/measure/measure.h \
    $(srcdir)/tuning/measure/results.h \
    $(srcdir)/tuning/measure/session.h \
    $(srcdir)/tuning/measure/steer.h \
    $(srcdir)/tuning/measure/workload.h \
    $(srcdir)/tuning/measure/world.h
anyp_tune_sources = \
    $(srcdir)/tuning/measure/anyp_tune.c \
    $(srcdir)/tuning/measure/budget.c \
    $(srcdir)/tuning/measure/clock.c \
    $(srcdir)/tuning/measure/command.c \
    $(srcdir)/tuning/measure/describe_run.c \
    $(srcdir)/tuning/measure/measure.c \
    $(srcdir)/tuning/measure/measure_network.c \
    $(srcdir)/tuning/measure/results.c \
    $(srcdir)/tuning/measure/resume.c \
    $(srcdir)/tuning/measure/shuffle.c \
    $(srcdir)/tuning/measure/validate.c \
    $(srcdir)/tuning/measure/workload.c \
    $(srcdir)/tuning/measure/world.c
anyp_bench_sources = \
    $(srcdir)/tuning/measure/anyp_bench.c \
    $(srcdir)/tuning/measure/clock.c \
    $(srcdir)/tuning/measure/workload.c \
    $(srcdir)/tuning/measure/world.c
tuning_inside = $(srcdir)/tuning/measure/steer_mpit.c
tuning_front = $(srcdir)/tuning/measure/steer_plugin.c
EXTRA_DIST += $(anyp_tune_sources) $(anyp_bench_sources) $(tuning_inside) $(tuning_front) \
    $(tuning_headers)

# A grafted libmpi has AnyP's code, too: the copy in the programs must not replace it.
tuning_compile = $(DEFS) $(AM_CPPFLAGS) -I$(srcdir)/tuning $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) \
    $(LDFLAGS)
tuning_libraries = libanyptune.a libanypanalysis.a libanypcore.a
tuning_link = $(tuning_libraries) $(JSONC_LIBS) -lm -Wl,--exclude-libs,ALL $(LIBS)

if HAVE_MPI
tuners_inside = tuning/anyp-tune tuning/anyp-bench
endif

tuning/anyp-tune: $(anyp_tune_sources) $(tuning_inside) $(tuning_headers) $(tuning_libraries)
	$(AM_V_CC)$(MKDIR_P) tuning && $(MPICC) $(tuning_compile) -o $@ $(anyp_tune_sources) \
	    $(tuning_inside) $(tuning_link)

tuning/anyp-bench: $(anyp_bench_sources) $(tuning_inside) $(tuning_headers) $(tuning_libraries)
	$(AM_V_CC)$(MKDIR_P) tuning && $(MPICC) $(tuning_compile) -o $@ $(anyp_bench_sources) \
	    $(tuning_inside) $(tuning_link)

# The decision file for machines that were not tuned (anyp-tune --generic makes it); also beside
# the programs, for those that are not installed.
pkgdatadir = $(datadir)/anyp
dist_pkgdata_DATA = tuning/generic.json
noinst_DATA += generic.json
CLEANFILES += generic.json
generic.json: $(srcdir)/tuning/generic.json
	$(AM_V_GEN)cp $(srcdir)/tuning/generic.json $@

# Batch jobs that tune a cluster.
dist_jobs_SCRIPTS = tuning/anyp-tune.pbs tuning/anyp-tune.slurm
jobsdir = $(pkgdatadir)/jobs
EXTRA_DIST += tuning/anyp-tune-job
if HAVE_TUNER
bin_SCRIPTS += tuning/anyp-tune-job
endif

# With the plug-in, which is beside the program or installed.
tuning_front_needs = $(tuning_front) $(tuning_headers) include/anyp_control.h $(tuning_libraries)
plugin_beside = $(@D)/libanyp-$(@D:plugin/%=%).so
if RPATH
plugin_rpath = -Wl,-rpath,'$$ORIGIN' -Wl,-rpath,"$(libdir)"
endif
tuning_front_link = $(tuning_front) $(tuning_link) $(plugin_beside) $(plugin_rpath)
if HAVE_MPICH
tuners_mpich = plugin/mpich/anyp-tune.mpich plugin/mpich/anyp-bench.mpich
endif
if HAVE_OPENMPI
tuners_openmpi = plugin/openmpi/anyp-tune.openmpi plugin/openmpi/anyp-bench.openmpi
endif
if HAVE_ABI
tuners_abi = plugin/abi/anyp-tune.abi plugin/abi/anyp-bench.abi
endif
# Installed in src/mpi/local.mk.
mpi_programs = $(tuners_inside) $(tuners_mpich) $(tuners_openmpi) $(tuners_abi)
noinst_DATA += $(mpi_programs)
CLEANFILES += $(mpi_programs)

plugin/mpich/anyp-tune.mpich: $(anyp_tune_sources) $(tuning_front_needs) \
    plugin/mpich/libanyp-mpich.so.1
	$(AM_V_CCLD)$(MPICH_MPICC) $(tuning_compile) -o $@ $(anyp_tune_sources) $(tuning_front_link)
plugin/mpich/anyp-bench.mpich: plugin/mpich/anyp-tune.mpich $(anyp_bench_sources)
	$(AM_V_CCLD)$(MPICH_MPICC) $(tuning_compile) -o $@ $(anyp_bench_sources) $(tuning_front_link)
plugin/openmpi/anyp-tune.openmpi: $(anyp_tune_sources) $(tuning_front_needs) \
    plugin/openmpi/libanyp-openmpi.so.1
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(tuning_compile) -o $@ $(anyp_tune_sources) $(tuning_front_link)
plugin/openmpi/anyp-bench.openmpi: plugin/openmpi/anyp-tune.openmpi $(anyp_bench_sources)
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(tuning_compile) -o $@ $(anyp_bench_sources) $(tuning_front_link)
plugin/abi/anyp-tune.abi: $(anyp_tune_sources) $(tuning_front_needs) plugin/abi/libanyp-abi.so.1
	$(AM_V_CCLD)$(ABI_MPICC) $(tuning_compile) -o $@ $(anyp_tune_sources) $(tuning_front_link)
plugin/abi/anyp-bench.abi: plugin/abi/anyp-tune.abi $(anyp_bench_sources)
	$(AM_V_CCLD)$(ABI_MPICC) $(tuning_compile) -o $@ $(anyp_bench_sources) $(tuning_front_link)

if HAVE_CHECK
check_PROGRAMS += test/tune/tune
TESTS += test/tune/tune
test_tune_tune_SOURCES = test/tune/tune.c test/tune/common.h test/tune/common.c \
    test/unit/tap.c test/unit/tap.h \
    test/tune/test_boundaries.c test/tune/test_calls.c test/tune/test_choice.c \
    test/tune/test_files.c test/tune/test_forms.c test/tune/test_nodes.c \
    test/tune/test_noise.c test/tune/test_options.c test/tune/test_plan.c \
    test/tune/test_contenders.c test/tune/test_validation.c
test_tune_tune_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/test \
    -DTUNE_TABLES='"$(abs_top_srcdir)/src/select/mpich"' \
    -DTUNE_GENERIC='"$(abs_top_srcdir)/tuning/generic.json"'
test_tune_tune_LDADD = libanyptune.a libanypanalysis.a libanypcore.a $(JSONC_LIBS) $(CHECK_LIBS) -lm
endif
dist_noinst_SCRIPTS += test/tune/smoke
EXTRA_DIST += test/tune/liar.c
