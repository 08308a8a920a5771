# SPDX-License-Identifier: BSD-3-Clause
dist_noinst_SCRIPTS += \
    maint/algorithms.py \
    maint/build-anyp \
    maint/build-mpich \
    maint/check \
    maint/fetch-mpich \
    maint/graft \
    maint/mpich_names.py \
    maint/packages \
    maint/quickstart \
    test/graft/run

dist_noinst_DATA += \
    maint/graft_generate.py \
    maint/graft_plan.py \
    maint/graft_table.py \
    maint/graft_tree.py \
    maint/lib.sh
