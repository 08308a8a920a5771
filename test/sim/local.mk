# SPDX-License-Identifier: BSD-3-Clause
# The plug-in under SimGrid's SMPI: maint/build-smpi, then test/sim/run.
EXTRA_DIST += test/sim/check.c test/sim/flat.xml
dist_noinst_SCRIPTS += test/sim/launch test/sim/run test/sim/tune test/sim/tune-test
