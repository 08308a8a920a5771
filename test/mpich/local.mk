# SPDX-License-Identifier: BSD-3-Clause
# MPICH's own tests of the collectives, with each of AnyP's algorithms forced:
#   make check-mpich MPICH_SOURCE=DIR [MPICH_TESTS='--quick --algorithm ring']
# DIR is the source that the MPICH of MPICC was built from, which has AnyP installed, too. With the
# plug-in preloaded into the MPI libraries that it was built for (and any MPICH's source):
#   make check-mpich-plugin MPICH_SOURCE=DIR [MPICH_TESTS=...]
dist_noinst_SCRIPTS += test/mpich/run
EXTRA_DIST += test/mpich/library.py test/mpich/report.py test/mpich/suite.py

if HAVE_MPI
check-mpich:
	@test -n '$(MPICH_SOURCE)' || { echo "check-mpich needs MPICH_SOURCE=DIR" >&2; exit 1; }
	$(srcdir)/test/mpich/run --source '$(MPICH_SOURCE)' \
	    --prefix "$$(dirname "$$(dirname '$(MPICC)')")" --work test/mpich/work $(MPICH_TESTS)
else
check-mpich:
	@echo "check-mpich needs MPICC=PREFIX/bin/mpicc of a grafted MPICH: run configure again" >&2
	@exit 1
endif

check-mpich-plugin: plugin-tests
	@test -n '$(MPICH_SOURCE)' || { echo "$@ needs MPICH_SOURCE=DIR" >&2; exit 1; }
	for mpicc in mpich:$(MPICH_MPICC) openmpi:$(OPENMPI_MPICC); do \
	    family=$${mpicc%%:*} && mpicc=$${mpicc#*:} && test "$$mpicc" != no || continue; \
	    $(srcdir)/test/mpich/run --source '$(MPICH_SOURCE)' \
	        --plugin plugin/$$family/libanyp-$$family.so \
	        --mpicc "$$mpicc" --mpiexec "$$(echo "$$mpicc" | sed 's,mpicc\([^/]*\)$$,mpiexec\1,')" \
	        --work test/mpich/work-$$family $(MPICH_TESTS) || exit 1; done

.PHONY: check-mpich check-mpich-plugin
