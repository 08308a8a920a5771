# SPDX-License-Identifier: BSD-3-Clause
# src/mpir compiled as inside each MPICH that AnyP knows, against headers of our own.
TESTS += test/mpir/compile
dist_noinst_SCRIPTS += test/mpir/compile
dist_noinst_DATA += test/mpir/gentran_types.h test/mpir/json.h test/mpir/mpiimpl.h \
    test/mpir/mpir_csel.h test/mpir/mpl.h test/mpir/agree.c test/mpir/tsp_impl.h
