# SPDX-License-Identifier: BSD-3-Clause
EXTRA_PROGRAMS += test/bench/bench_generate
test_bench_bench_generate_SOURCES = test/bench/bench_generate.c
test_bench_bench_generate_LDADD = libanypcore.a $(JSONC_LIBS)
CLEANFILES += test/bench/bench_generate$(EXEEXT)

bench: test/bench/bench_generate$(EXEEXT)
	test/bench/bench_generate$(EXEEXT)
.PHONY: bench
