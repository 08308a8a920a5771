# SPDX-License-Identifier: BSD-3-Clause
check_PROGRAMS += test/bench/bench_call test/bench/bench_generate
test_bench_bench_generate_SOURCES = test/bench/bench_generate.c
test_bench_bench_generate_LDADD = libanypcore.a $(JSONC_LIBS)
test_bench_bench_call_SOURCES = test/bench/bench_call.c test/bench/statistics.c \
    test/bench/statistics.h
test_bench_bench_call_LDADD = libanypcore.a $(JSONC_LIBS) -lm

bench: test/bench/bench_call$(EXEEXT) test/bench/bench_generate$(EXEEXT)
	test/bench/bench_call$(EXEEXT)
	test/bench/bench_generate$(EXEEXT)

# bench_plugin: with each MPI that the plug-in is built for, and with the MPICH that has AnyP inside
# (which should use shared memory: maint/build-mpich --device ch3:nemesis). BENCH_OPTIONS=--check:
# it fails above a limit. No test does so: on a busy machine, times mean little.
bench_plugin_sources = \
    $(srcdir)/test/bench/bench_plugin.c \
    $(srcdir)/test/bench/statistics.c \
    $(srcdir)/tuning/measure/steer_mpit.c
EXTRA_DIST += test/bench/bench_plugin.c test/bench/statistics.c test/bench/statistics.h
bench_plugin_needs = $(bench_plugin_sources) $(srcdir)/test/bench/statistics.h $(tuning_headers) \
    include/anyp_control.h $(tuning_libraries)
bench_plugin_compile = $(tuning_compile) -o $@ $(bench_plugin_sources) \
    $(tuning_link)

plugin/mpich/bench_plugin: $(bench_plugin_needs) plugin/mpich/libanyp.so.0
	$(AM_V_CCLD)$(MPICH_MPICC) $(bench_plugin_compile) $(@D)/libanyp.so -Wl,-rpath,'$$ORIGIN'

plugin/openmpi/bench_plugin: $(bench_plugin_needs) plugin/openmpi/libanyp.so.0
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(bench_plugin_compile) $(@D)/libanyp.so -Wl,-rpath,'$$ORIGIN'

plugin/mpich/bench_plugin.inside: $(bench_plugin_needs) plugin/mpich/libanyp.so.0
	$(AM_V_CCLD)$(MPICC) $(bench_plugin_compile) $(@D)/libanyp.so -Wl,-rpath,'$$ORIGIN'

CLEANFILES += plugin/mpich/bench_plugin plugin/mpich/bench_plugin.inside plugin/openmpi/bench_plugin

# bench_pair: alternates the library's collectives and AnyP's; test/bench/pair runs it.
bench_pair_sources = \
    $(srcdir)/test/bench/bench_pair.c \
    $(srcdir)/test/bench/statistics.c \
    $(srcdir)/tuning/measure/steer_plugin.c \
    $(srcdir)/tuning/measure/workload.c
bench_pair_needs = $(bench_pair_sources) $(srcdir)/test/bench/statistics.h $(tuning_headers) \
    include/anyp_control.h $(tuning_libraries)
EXTRA_DIST += test/bench/bench_pair.c

plugin/mpich/bench_pair: $(bench_pair_needs) plugin/mpich/libanyp.so.0
	$(AM_V_CCLD)$(MPICH_MPICC) $(tuning_compile) -o $@ $(bench_pair_sources) \
	    $(tuning_link) $(@D)/libanyp.so -Wl,-rpath,'$$ORIGIN'

CLEANFILES += plugin/mpich/bench_pair

bench_plugin_targets =
if HAVE_MPICH
bench_plugin_targets += bench-plugin-mpich
if HAVE_MPI
bench_plugin_targets += bench-plugin-inside
endif
endif
if HAVE_OPENMPI
bench_plugin_targets += bench-plugin-openmpi
endif
bench-plugin: $(bench_plugin_targets)

# The launcher is beside the compiler wrapper and has a similar name.
launcher = sed 's,mpicc\([^/]*\)$$,mpiexec\1,'
bench-plugin-mpich: plugin/mpich/bench_plugin
	`echo '$(MPICH_MPICC)' | $(launcher)` -n 2 plugin/mpich/bench_plugin $(BENCH_OPTIONS)
bench-plugin-openmpi: plugin/openmpi/bench_plugin
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	    `echo '$(OPENMPI_MPICC)' | $(launcher)` -n 2 plugin/openmpi/bench_plugin \
	    $(BENCH_OPTIONS)
bench-plugin-inside: plugin/mpich/bench_plugin.inside
	'$(MPIEXEC)' -n 2 plugin/mpich/bench_plugin.inside \
	    --mpich "`dirname '$(MPIEXEC)'`/.." $(BENCH_OPTIONS)
.PHONY: bench bench-plugin bench-plugin-mpich bench-plugin-openmpi bench-plugin-inside

# The benches of test/bench/RESULTS.md, each with the report; --help of each describes it.
# BENCH_OPTIONS are for the bench. bench-sim keeps its times in build-bench/ of the checkout, so
# that it can continue after an interruption. The tree, which has no targets, is not measured with
# vectors of 8 MiB or more than 192 processes, which take most of the time. Two of the shapes of
# nodes, 12x24 and 6x48, are not tuned: they follow the rules of the nearest.
bench-sim:
	$(srcdir)/maint/build-smpi
	for network in flat tree; do \
	    procs=3,5,6,7,9,12,13,15,16,20,23,24,32,36,40,48,63,64,65,96,100,127,128,192; \
	    sizes=8,1K,8K,64K,256K,1M; \
	    test $$network = tree || { procs=$$procs,384,768,1000; sizes=$$sizes,8M; }; \
	    decisions=$(srcdir)/build-bench/tuned-$$network.json && \
	    $(MKDIR_P) $(srcdir)/build-bench && \
	    $(srcdir)/test/sim/tune --platform $(srcdir)/test/sim/$$network.xml --procs $$procs \
	        --sizes $$sizes --output $$decisions && \
	    cp $$decisions $(srcdir)/test/bench/data/sim-$$network.json && \
	    $(srcdir)/test/sim/bench --procs $$procs --sizes $$sizes $(BENCH_OPTIONS) $$network || \
	        exit 1; \
	done
	$(srcdir)/test/sim/tune --nodes '13x8 20x16 9x7 24x4 12x8,3 12x8:cyclic' \
	    --sizes 8,1K,8K,64K,256K,1M,4M --output $(srcdir)/build-bench/tuned-nodes.json
	cp $(srcdir)/build-bench/tuned-nodes.json $(srcdir)/test/bench/data/sim-nodes.json
	$(srcdir)/test/sim/bench $(BENCH_OPTIONS) nodes
	$(srcdir)/test/sim/tune --nodes 13x8 --cards 2 --sizes 8,1K,8K,64K,256K,1M,4M \
	    --output $(srcdir)/build-bench/tuned-cards.json
	cp $(srcdir)/build-bench/tuned-cards.json $(srcdir)/test/bench/data/sim-cards.json
	$(srcdir)/test/sim/bench $(BENCH_OPTIONS) cards
	for scenario in eager late; do \
	    $(srcdir)/test/sim/bench --scenario $$scenario $(BENCH_OPTIONS) || exit 1; \
	done
	$(srcdir)/test/bench/report
bench-pair: all
	$(srcdir)/test/bench/pair --build . $(BENCH_OPTIONS)
	$(srcdir)/test/bench/report
bench-netlab:
	$(srcdir)/test/netlab/run $(BENCH_OPTIONS)
	test -n '$(BENCH_OPTIONS)' || $(srcdir)/test/netlab/run --node-ranks 4
	test -n '$(BENCH_OPTIONS)' || $(srcdir)/test/netlab/run --forms
	$(srcdir)/test/bench/report
results:
	$(srcdir)/test/bench/report
.PHONY: bench-netlab bench-pair bench-sim results

dist_noinst_SCRIPTS += test/bench/forms test/bench/pair test/bench/report \
    test/bench/test_report.py
EXTRA_DIST += \
    test/bench/RESULTS.md \
    test/bench/cells.py \
    test/bench/curves.py \
    test/bench/data \
    test/bench/pages.py \
    test/bench/pictures \
    test/bench/targets.py
