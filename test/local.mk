# SPDX-License-Identifier: BSD-3-Clause
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
include test/netlab/local.mk
