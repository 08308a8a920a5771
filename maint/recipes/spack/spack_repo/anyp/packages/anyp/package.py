# SPDX-License-Identifier: BSD-3-Clause
"""Spack's package of AnyP: the tool anyp, and the plug-in and the tuner for one MPI library."""
import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *

# Replace both values in your copy of this repository; ../mpich/package.py uses them, too.
# The checksum, the output of "sha256sum anyp-1.0.0.tar.gz": a release contains this file, so it
# cannot contain its own checksum.
SHA256 = None
# The tarball has no public address; unless replaced, Spack looks for it in the current folder.
URL = "file://%s/anyp-1.0.0.tar.gz" % os.getcwd()


class Anyp(AutotoolsPackage):
    """AnyP makes MPI collectives fast for any number of processes, as a plug-in for an unmodified
    MPI library. The package mpich of this repository has AnyP inside MPICH."""

    url = URL
    manual_download = True

    license("BSD-3-Clause")

    version("1.0.0", sha256=SHA256)

    variant(
        "mpi",
        default="openmpi",
        values=("none", "openmpi", "mpich"),
        multi=False,
        description="family of MPI libraries that the plug-in and the tuner are built for",
    )
    variant(
        "json-c",
        default="shared",
        values=("shared", "static"),
        multi=False,
        description="how the plug-in is linked with json-c; static needs ^json-c cflags=-fPIC",
    )

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("json-c@0.13:")
    depends_on("check@0.10:", type="test")
    depends_on("python@3:", type="test")

    depends_on("mpi", when="mpi=openmpi")
    depends_on("mpi", when="mpi=mpich")
    requires("^[virtuals=mpi] openmpi", when="mpi=openmpi", msg="mpi=openmpi needs Open MPI")
    requires(
        "^[virtuals=mpi] mpich",
        "^[virtuals=mpi] mvapich",
        "^[virtuals=mpi] mvapich-plus",
        "^[virtuals=mpi] cray-mpich",
        "^[virtuals=mpi] intel-oneapi-mpi",
        "^[virtuals=mpi] parastationmpi",
        policy="one_of",
        when="mpi=mpich",
        msg="mpi=mpich needs MPICH or a library with its ABI",
    )

    build_directory = "spack-build"

    def configure_args(self):
        family = self.spec.variants["mpi"].value
        args = ["--with-json-c=%s" % self.spec.variants["json-c"].value]
        if family == "none":
            return args + ["--without-plugins"]
        return args + [
            "--with-plugins=%s" % family,
            "%s_MPICC=%s" % (family.upper(), self.spec["mpi"].mpicc),
        ]

    def check(self):
        """Runs the short tests; the others take minutes."""
        with working_dir(self.build_directory):
            make("check-fast")

    def test_version(self):
        """print the version"""
        anyp = which(self.prefix.bin.anyp, required=True)
        assert str(self.spec.version) in anyp("--version", output=str.split, error=str.split)

    def test_verify(self):
        """prove an algorithm for 13 processes"""
        anyp = which(self.prefix.bin.anyp, required=True)
        output = anyp(
            "verify", "allreduce", "exchange", "-p", "13", output=str.split, error=str.split
        )
        assert "sets of schedules proved" in output
