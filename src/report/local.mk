# SPDX-License-Identifier: BSD-3-Clause
# anyp report: a page about the measurements of anyp-tune, or about a program's record.
noinst_LIBRARIES += libanypreport.a
libanypreport_a_SOURCES = \
    src/report/run.h \
    src/report/run_change.c \
    src/report/run_data.c \
    src/report/run_lines.c \
    src/report/run_phases.c \
    src/report/run_sentences.c \
    src/report/run_sites.c \
    src/report/run_table.c \
    src/report/trials.c \
    src/report/trials.h

# The page, as lines of C.
EXTRA_DIST += src/report/page.html
CLEANFILES += src/report/page.inc
BUILT_SOURCES += src/report/page.inc
src/report/page.inc: $(srcdir)/src/report/page.html
	@$(MKDIR_P) src/report
	$(AM_V_GEN)sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $(srcdir)/src/report/page.html >$@-new && \
	    mv $@-new $@
src/tools/libanyptool_a-command_report.$(OBJEXT): src/report/page.inc
