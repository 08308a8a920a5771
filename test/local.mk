# SPDX-License-Identifier: BSD-3-Clause
# All tests write TAP: those of `make check`, which automake's driver reads, and all others.
AM_LOG_DRIVER_FLAGS = --comments
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/confdb/tap-driver.sh
EXTRA_DIST += test/inputs.py test/json_holds.py test/lib.sh test/tap.py

include test/unit/local.mk
include test/bench/local.mk
include test/tools/local.mk
include test/decision/local.mk
include test/mpi/local.mk
include test/mpir/local.mk
include test/mpich/local.mk
include test/plugin/local.mk
include test/plugin/programs.mk
include test/sim/local.mk
include test/soak/local.mk
include test/netlab/local.mk
include test/node/local.mk
include test/fuzz/local.mk
include test/library-faults/local.mk
