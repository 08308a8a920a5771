# SPDX-License-Identifier: BSD-3-Clause
check_PROGRAMS += test/bench/bench_call test/bench/bench_generate
test_bench_bench_generate_SOURCES = test/bench/bench_generate.c
test_bench_bench_generate_LDADD = libanypcore.a $(JSONC_LIBS) -lm
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

plugin/mpich/bench_plugin: $(bench_plugin_needs) plugin/mpich/libanyp-mpich.so.1
	$(AM_V_CCLD)$(MPICH_MPICC) $(bench_plugin_compile) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

plugin/openmpi/bench_plugin: $(bench_plugin_needs) plugin/openmpi/libanyp-openmpi.so.1
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(bench_plugin_compile) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

plugin/mpich/bench_plugin.inside: $(bench_plugin_needs) plugin/mpich/libanyp-mpich.so.1
	$(AM_V_CCLD)$(MPICC) $(bench_plugin_compile) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

CLEANFILES += plugin/mpich/bench_plugin plugin/mpich/bench_plugin.inside plugin/openmpi/bench_plugin

# bench_node: alternates the library's collectives and AnyP's; test/bench/node runs it.
bench_node_sources = \
    $(srcdir)/test/bench/bench_node.c \
    $(srcdir)/test/bench/statistics.c \
    $(srcdir)/tuning/measure/clock.c \
    $(srcdir)/tuning/measure/steer_plugin.c \
    $(srcdir)/tuning/measure/workload.c
bench_node_needs = $(bench_node_sources) $(srcdir)/test/bench/statistics.h $(tuning_headers) \
    include/anyp_control.h $(tuning_libraries)
EXTRA_DIST += test/bench/bench_node.c

plugin/mpich/bench_node: $(bench_node_needs) plugin/mpich/libanyp-mpich.so.1
	$(AM_V_CCLD)$(MPICH_MPICC) $(tuning_compile) -o $@ $(bench_node_sources) \
	    $(tuning_link) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

plugin/openmpi/bench_node: $(bench_node_needs) plugin/openmpi/libanyp-openmpi.so.1
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(tuning_compile) -o $@ $(bench_node_sources) \
	    $(tuning_link) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

CLEANFILES += plugin/mpich/bench_node plugin/openmpi/bench_node

# forms: blocking, nonblocking and persistent calls through the plug-in; test/bench/forms runs it.
plugin_forms_sources = $(srcdir)/test/netlab/forms.c $(netlab_together) \
    $(srcdir)/test/bench/statistics.c $(srcdir)/tuning/measure/clock.c \
    $(srcdir)/tuning/measure/steer_plugin.c $(srcdir)/tuning/measure/workload.c
plugin_forms_needs = $(plugin_forms_sources) $(srcdir)/test/netlab/together.h \
    $(bench_node_needs)

plugin/mpich/forms: $(plugin_forms_needs) plugin/mpich/libanyp-mpich.so.1
	$(AM_V_CCLD)$(MPICH_MPICC) $(tuning_compile) -I$(srcdir)/test -o $@ \
	    $(plugin_forms_sources) $(tuning_link) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

plugin/openmpi/forms: $(plugin_forms_needs) plugin/openmpi/libanyp-openmpi.so.1
	$(AM_V_CCLD)$(OPENMPI_MPICC) $(tuning_compile) -I$(srcdir)/test -o $@ \
	    $(plugin_forms_sources) $(tuning_link) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

# with the MPICH that has AnyP inside, for test/netlab/run --plug-in
plugin/mpich/forms.inside: $(plugin_forms_needs) plugin/mpich/libanyp-mpich.so.1
	$(AM_V_CCLD)$(MPICC) $(tuning_compile) -I$(srcdir)/test -o $@ \
	    $(plugin_forms_sources) $(tuning_link) $(plugin_beside) -Wl,-rpath,'$$ORIGIN'

CLEANFILES += plugin/mpich/forms plugin/mpich/forms.inside plugin/openmpi/forms

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
# that it can continue after an interruption. The decision files are tuned for some of the numbers
# of processes and sizes that are measured, and follow closed forms at the others; the files of
# scenarios are tuned for others, to compare with, and stay in build-bench/. The tree, which has no
# targets, is not measured with vectors of 8 MiB or more than 192 processes, which take most of the
# time.
sim_flat = --procs 3,5,6,7,9,12,13,16,20,24,32,48,64,100
sim_tree = --procs 3,5,7,12,13,24,32,48,64,100,128 --sizes 8,1K,8K,64K,256K,1M \
    --platform $(srcdir)/test/sim/tree.xml --constants 32
sim_nodes = --nodes '13x8 9x7 24x4 12x8,3 12x8:cyclic' --sizes 8,1K,8K,64K,256K,1M,4M
sim_cards = --nodes 13x8 --cards 2 --sizes 8,1K,8K,64K,256K,1M,4M
sim_flat_untuned = --procs 11,29,53,77,200
between = $(srcdir)/test/sim/bench --scenario between --print-sizes
sim_flat_between = --procs 13,19,31,45,91
sim_nodes_between = --nodes '13x8 12x8:cyclic 17x3'
sim_nodes_untuned = --nodes '11x6 7x16 6,11,16,3,9' --sizes 8,1K,8K,64K,256K,1M,4M
# What moves data is tuned by itself, and its rules are added to the same file. That takes minutes,
# so the flat network has all p up to 128 that are measured.
moves = --collectives bcast,allgather,alltoall,gather,scatter
moves_sizes = --sizes 8,1K,8K,64K,256K,1M
moves_flat = --procs 3,5,6,7,9,12,13,15,16,20,23,24,32,36,40,48,63,64,65,96,100,127,128
moves_messages = --most-messages 20K
tune = tune() { \
    $(MKDIR_P) $(srcdir)/build-bench && \
    $(srcdir)/test/sim/tune --output $(srcdir)/build-bench/"$$@"; }; tune
tune_moves = tune() { \
    $(srcdir)/test/sim/tune $(moves) $(moves_sizes) --keep $(srcdir)/build-bench/"$$1" \
        --output $(srcdir)/build-bench/moves-"$$@" -- $(moves_messages) && \
    cp $(srcdir)/build-bench/moves-"$$1" $(srcdir)/build-bench/"$$1"; }; tune
bench-sim:
	$(srcdir)/maint/build-smpi
	$(tune) sim-flat.json $(sim_flat)
	$(tune) sim-tree.json $(sim_tree)
	$(tune) sim-nodes.json $(sim_nodes)
	$(tune) sim-cards.json $(sim_cards)
	$(tune) sim-flat-untuned.json $(sim_flat_untuned)
	$(tune) sim-nodes-untuned.json $(sim_nodes_untuned)
	$(tune_moves) sim-flat.json $(moves_flat)
	$(tune_moves) sim-nodes.json $(sim_nodes) $(moves_sizes)
	$(tune) sim-flat-between.json $(sim_flat_between) --sizes "`$(between) flat`"
	$(tune) sim-nodes-between.json $(sim_nodes_between) --sizes "`$(between) nodes`"
	$(tune_moves) sim-flat-between.json $(sim_flat_between) --sizes "`$(between) --moves flat`"
	$(tune_moves) sim-nodes-between.json $(sim_nodes_between) --sizes "`$(between) --moves nodes`"
	for network in flat tree nodes cards; do \
	    cp $(srcdir)/build-bench/sim-$$network.json $(srcdir)/test/bench/data/ || exit 1; \
	done
	$(srcdir)/test/sim/bench $(BENCH_OPTIONS)
	procs=3,5,6,7,9,12,13,15,16,20,23,24,32,36,40,48,63,64,65,96,100,127,128,192; \
	$(srcdir)/test/sim/bench --procs $$procs \
	    --sizes 8,1K,8K,64K,256K,1M $(BENCH_OPTIONS) tree
	$(srcdir)/test/sim/bench $(BENCH_OPTIONS) nodes
	$(srcdir)/test/sim/bench --moves $(BENCH_OPTIONS)
	$(srcdir)/test/sim/bench --moves --no-singles $(BENCH_OPTIONS) nodes
	$(srcdir)/test/sim/bench --uneven $(BENCH_OPTIONS)
	$(srcdir)/test/sim/bench --scans $(BENCH_OPTIONS)
	$(srcdir)/test/sim/bench --scans $(BENCH_OPTIONS) nodes
	$(srcdir)/test/sim/bench --pairs --limit 100 $(BENCH_OPTIONS)
	$(srcdir)/test/sim/bench --pairs --limit 100 $(BENCH_OPTIONS) nodes
	$(srcdir)/test/sim/bench $(BENCH_OPTIONS) cards
	$(srcdir)/test/sim/bench $(BENCH_OPTIONS) shapes
	for scenario in eager late untuned; do \
	    $(srcdir)/test/sim/bench --scenario $$scenario $(BENCH_OPTIONS) || exit 1; \
	done
	$(srcdir)/test/sim/bench --scenario untuned $(BENCH_OPTIONS) nodes
	for network in flat nodes '--moves flat' '--moves nodes'; do \
	    $(srcdir)/test/sim/bench --scenario between $(BENCH_OPTIONS) $$network || exit 1; \
	done
	for network in flat tree nodes cards 'flat --scenario eager' 'flat --scenario late'; do \
	    $(srcdir)/test/sim/bench --generic $(BENCH_OPTIONS) $$network || exit 1; \
	done
	$(srcdir)/test/bench/report
bench-node: all
	$(srcdir)/test/bench/node --build . $(BENCH_OPTIONS)
	$(srcdir)/test/bench/report
bench-netlab:
	$(srcdir)/test/netlab/run $(BENCH_OPTIONS)
	test -n '$(BENCH_OPTIONS)' || $(srcdir)/test/netlab/run --node-ranks 4
	test -n '$(BENCH_OPTIONS)' || $(srcdir)/test/netlab/run --moves
	test -n '$(BENCH_OPTIONS)' || $(srcdir)/test/netlab/run --forms
	$(srcdir)/test/bench/report
results:
	$(srcdir)/test/bench/report
.PHONY: bench-netlab bench-node bench-sim results

dist_noinst_SCRIPTS += test/bench/forms test/bench/node test/bench/report \
    test/bench/test_report.py
EXTRA_DIST += \
    test/bench/RESULTS.md \
    test/bench/cells.py \
    test/bench/curves.py \
    test/bench/data \
    test/bench/pages.py \
    test/bench/pictures \
    test/bench/sources.py \
    test/bench/targets.py
