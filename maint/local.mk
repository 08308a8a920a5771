# SPDX-License-Identifier: BSD-3-Clause
dist_noinst_SCRIPTS += \
    maint/build-anyp \
    maint/build-debian \
    maint/build-mpich \
    maint/build-smpi \
    maint/check \
    maint/fetch \
    maint/graft \
    maint/lint \
    maint/mpich_names.py \
    maint/packages \
    maint/pictures.sh \
    maint/quickstart \
    maint/scale_table.py \
    maint/suite \
    test/graft/run

dist_noinst_DATA += \
    maint/algorithms.py \
    maint/graft_texts.py \
    maint/graft_plan.py \
    maint/graft_places.py \
    maint/check_steps.sh \
    maint/lib.sh \
    maint/lint.txt \
    maint/smpi.mk \
    test/graft/skeleton.py \
    maint/pictures/exchange-13.svg \
    maint/pictures/exchange-3x4.svg \
    maint/pictures/exscan-7.svg \
    maint/pictures/butterfly-15.svg \
    maint/pictures/bi_greedy-16-5.svg \
    maint/pictures/record.svg \
    maint/pictures/report.svg \
    maint/pictures/uni_greedy-15-5.svg

# The pictures of README and HACKING, redrawn.
.PHONY: pictures
pictures: anyp$(EXEEXT)
	$(srcdir)/maint/pictures.sh --anyp ./anyp$(EXEEXT) $(srcdir)/maint/pictures

# The manual pages: their text, with lists from the same tables as --help.
noinst_PROGRAMS += maint/manual/manual
maint_manual_manual_SOURCES = \
    maint/manual/manual.c \
    maint/manual/markdown.c \
    maint/manual/markdown.h \
    maint/manual/roff.c \
    maint/manual/roff.h
maint_manual_manual_CPPFLAGS = $(AM_CPPFLAGS) \
    -DMANUAL_JOB='"$(abs_top_srcdir)/tuning/anyp-tune-job"'
maint_manual_manual_LDADD = libanyptool.a libanypreport.a libanyptune.a libanypanalysis.a \
    libanypcore.a $(JSONC_LIBS) -lm -ldl -lpthread

manual_texts = \
    maint/manual/anyp.1.md \
    maint/manual/anyp-algorithms.7.md \
    maint/manual/anyp-bench.1.md \
    maint/manual/anyp-cluster.7.md \
    maint/manual/anyp-decision-file.5.md \
    maint/manual/anyp-graft.8.md \
    maint/manual/anyp-record.5.md \
    maint/manual/anyp-reproducible.7.md \
    maint/manual/anyp-simulation.7.md \
    maint/manual/anyp-tune.1.md \
    maint/manual/anyp-tune-job.1.md \
    maint/manual/anyp-variables.7.md \
    maint/manual/libanyp.7.md
dist_noinst_DATA += $(manual_texts)
tuner_manuals = man/anyp-bench.1 man/anyp-tune.1 man/anyp-tune-job.1
manuals = $(tuner_manuals) $(installed_manuals)
man/anyp-tune-job.1: $(srcdir)/tuning/anyp-tune-job
installed_manuals = \
    man/anyp.1 \
    man/anyp-algorithms.7 \
    man/anyp-cluster.7 \
    man/anyp-decision-file.5 \
    man/anyp-graft.8 \
    man/anyp-record.5 \
    man/anyp-reproducible.7 \
    man/anyp-simulation.7 \
    man/anyp-variables.7 \
    man/libanyp.7
noinst_DATA += $(manuals)
man_MANS = $(installed_manuals)
mpich_aliases = man/anyp-bench.mpich.1 man/anyp-tune.mpich.1
openmpi_aliases = man/anyp-bench.openmpi.1 man/anyp-tune.openmpi.1
abi_aliases = man/anyp-bench.abi.1 man/anyp-tune.abi.1
tuner_aliases = $(mpich_aliases) $(openmpi_aliases) $(abi_aliases)
if HAVE_TUNER
man_MANS += $(tuner_manuals)
endif
if HAVE_MPICH
man_MANS += $(mpich_aliases)
endif
if HAVE_OPENMPI
man_MANS += $(openmpi_aliases)
endif
if HAVE_ABI
man_MANS += $(abi_aliases)
endif
CLEANFILES += $(manuals) $(tuner_aliases)
# PAGE.made contains names of folders that configure chooses. A release contains it as PAGE.in, for
# cross builds, which cannot run the generator.
if CROSS
manual_maker =
make_manual = cp $(srcdir)/$@.in
else
manual_maker = maint/manual/manual$(EXEEXT)
make_manual = $(manual_maker) <$(srcdir)/maint/manual/$(@F).md >
endif
manuals_made = $(manuals:=.made)
CLEANFILES += $(manuals_made)
$(manuals): $(manual_maker) $(manual_texts) Makefile
	@$(MKDIR_P) man
	$(AM_V_GEN)$(make_manual) $@.made && sed "s,@libdir[@],`echo '$(libdir)' | \
	    sed 's/-/\\\\\\\\-/g'`,g" $@.made >$@.new && mv $@.new $@
# Renews the lists in the texts, for readers on the web. Run it after a change of a --help;
# test/tools/manual.sh finds old lists.
.PHONY: lists
lists: maint/manual/manual$(EXEEXT)
	for text in $(manual_texts); do \
	    ./maint/manual/manual$(EXEEXT) --markdown <$(srcdir)/$$text >text.new || exit 1; \
	    cmp -s text.new $(srcdir)/$$text || cp text.new $(srcdir)/$$text || exit 1; \
	done
	rm -f text.new
dist-hook: $(manuals)
	@$(MKDIR_P) $(distdir)/man
	for page in $(manuals); do cp $$page.made $(distdir)/$$page.in || exit 1; done
$(tuner_aliases):
	@$(MKDIR_P) man
	$(AM_V_GEN)echo '.so man1/$(@F)' | sed 's/\.[a-z]*\.1$$/.1/' >$@

# Recipes for Spack and EasyBuild
EXTRA_DIST += \
    maint/recipes/README.md \
    maint/recipes/easybuild/AnyP-1.0.0-gmpich-2025.07.eb \
    maint/recipes/easybuild/AnyP-1.0.0-gompi-2023b.eb \
    maint/recipes/spack/spack_repo/anyp/packages/anyp/package.py \
    maint/recipes/spack/spack_repo/anyp/packages/mpich/package.py \
    maint/recipes/spack/spack_repo/anyp/repo.yaml
