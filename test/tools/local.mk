# SPDX-License-Identifier: BSD-3-Clause
# The tool as its users see it.
TESTS += test/tools/anyp.sh test/tools/build.sh test/tools/calls.sh test/tools/job.sh \
    test/tools/manual.sh test/tools/outputs.sh test/tools/proofs.sh test/tools/records.sh \
    test/tools/report.sh test/tools/run.sh
AM_TESTS_ENVIRONMENT = CC='$(CC)'; JSONC_CFLAGS='$(JSONC_CFLAGS)'; export CC JSONC_CFLAGS;
dist_noinst_SCRIPTS += \
    test/tools/release \
    test/tools/anyp.sh \
    test/tools/build.sh \
    test/tools/calls.sh \
    test/tools/check_documents.py \
    test/tools/check_list.py \
    test/tools/check_report.py \
    test/tools/check_svg.py \
    test/tools/job.sh \
    test/tools/manual.sh \
    test/tools/outputs.sh \
    test/tools/proofs.sh \
    test/tools/render_page.js \
    test/tools/replay.py \
    test/tools/records.sh \
    test/tools/report.sh \
    test/tools/run.sh
dist_noinst_DATA += \
    test/tools/forms.json test/tools/good.json test/tools/memory.json \
    test/tools/after.calls test/tools/before.calls test/tools/hpcc.calls test/tools/measured.times \
    test/tools/pages.sh test/tools/simulated.times
EXTRA_DIST += test/tools/nomem.c
