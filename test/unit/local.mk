# SPDX-License-Identifier: BSD-3-Clause
# One program with all unit tests.
# A new suite: its file here, its name in suites.def.
TESTS += test/unit/layers
dist_noinst_SCRIPTS += test/unit/layers
unit_sources = \
    test/bench/statistics.c \
    test/bench/statistics.h \
    test/unit/common.c \
    test/unit/common.h \
    test/unit/files.c \
    test/unit/files.h \
    test/unit/half_duplex.c \
    test/unit/half_duplex.h \
    test/unit/main.c \
    test/unit/mpich_way.c \
    test/unit/mpich_way.h \
    test/unit/prune.c \
    test/unit/prune.h \
    test/unit/suites.def \
    test/unit/tap.c \
    test/unit/tap.h \
    test/unit/test_automatic.c \
    test/unit/test_binary_blocks.c \
    test/unit/test_best.c \
    test/unit/test_butterfly.c \
    test/unit/test_cache.c \
    test/unit/test_decide.c \
    test/unit/test_choices.c \
    test/unit/test_circulant.c \
    test/unit/test_complete.c \
    test/unit/test_core.c \
    test/unit/test_counts.c \
    test/unit/test_decision.c \
    test/unit/test_estimate.c \
    test/unit/test_exchange.c \
    test/unit/test_execute.c \
    test/unit/test_reproducible.c \
    test/unit/test_rows.c \
    test/unit/test_resume.c \
    test/unit/test_expression.c \
    test/unit/test_greedy.c \
    test/unit/test_lowery_langou.c \
    test/unit/test_fold.c \
    test/unit/local_transport.h \
    test/unit/test_local_routes.c \
    test/unit/test_local_sizes.c \
    test/unit/test_log.c \
    test/unit/test_memory.c \
    test/unit/test_early.c \
    test/unit/test_hold.c \
    test/unit/test_messages.c \
    test/unit/test_multiport.c \
    test/unit/test_coordinates.c \
    test/unit/test_neighbors.c \
    test/unit/test_nodes.c \
    test/unit/test_shapes.c \
    test/unit/test_papers.c \
    test/unit/test_proof.c \
    test/unit/test_rabenseifner.c \
    test/unit/test_postal.c \
    test/unit/test_radix.c \
    test/unit/test_record.c \
    test/unit/test_scan.c \
    test/unit/test_schedule.c \
    test/unit/test_prove_sample.c \
    test/unit/test_count_sample.c \
    test/unit/test_simulate.c \
    test/unit/test_statistics.c \
    test/unit/test_skips.c \
    test/unit/test_table_4.c \
    test/unit/test_uneven.c \
    test/unit/test_verify.c \
    test/unit/test_vocabulary.c \
    test/unit/transport.h \
    test/unit/world.c \
    test/unit/world.h

if HAVE_CHECK
check_PROGRAMS += test/unit/unit
test_unit_unit_SOURCES = $(unit_sources) src/settings/coordinates.c
test_unit_unit_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/test \
    -DTEST_DIRECTORY='"$(abs_top_srcdir)/test"'
test_unit_unit_LDADD = libanypanalysis.a libanypcore.a $(JSONC_LIBS) $(CHECK_LIBS) -lm

TESTS += test/unit/unit

# All tests with few processes, on all processors.
check-fast:
	case "$$MAKEFLAGS" in *jobserver*) ;; *) jobs=-j`nproc` ;; esac; \
	ANYP_MAX_P=12 $(MAKE) $(AM_MAKEFLAGS) $$jobs check

# Every p from 1 to 1025: about 25 minutes on two processors. Two parts, for make -j: the first
# keeps all processors busy, the other one.
check-long: check-long-proofs check-long-counts
check-long-proofs: anyp$(EXEEXT)
	srcdir=$(srcdir) ANYP_MAX_P=1025 $(srcdir)/test/tools/proofs.sh
check-long-counts: test/unit/unit$(EXEEXT)
	ANYP_SUITES=counts,table_4,greedy ANYP_MAX_P=1025 test/unit/unit$(EXEEXT)
	ANYP_SUITES=butterfly,messages ANYP_MAX_P=70 test/unit/unit$(EXEEXT)
else
EXTRA_DIST += $(unit_sources)

check-local:
	@echo "make check needs Check: install it (Debian: check), then run configure again" >&2
	@exit 1

check-fast check-long: check-local
endif
.PHONY: check-fast check-long check-long-proofs check-long-counts
