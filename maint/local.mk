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
    maint/pictures.sh \
    maint/quickstart \
    test/graft/run

dist_noinst_DATA += \
    maint/graft_generate.py \
    maint/graft_plan.py \
    maint/graft_table.py \
    maint/graft_tree.py \
    maint/lib.sh \
    maint/pictures/butterfly-13.svg \
    maint/pictures/butterfly-15.svg \
    maint/pictures/bi_greedy-16-5.svg \
    maint/pictures/uni_greedy-15-5.svg

# The pictures that README and HACKING show, drawn anew.
.PHONY: pictures
pictures: anyp$(EXEEXT)
	$(srcdir)/maint/pictures.sh --anyp ./anyp$(EXEEXT) $(srcdir)/maint/pictures
