# SPDX-License-Identifier: BSD-3-Clause
"""Spack's package of MPICH with the variant +anyp: AnyP inside MPICH. Without it, the package is
the same as builtin.mpich."""
from spack_repo.anyp.packages.anyp.package import SHA256, URL
from spack_repo.builtin.packages.mpich.package import Mpich as BuiltinMpich

from spack.package import *


class Mpich(BuiltinMpich):
    __doc__ = BuiltinMpich.__doc__

    variant("anyp", default=False, description="Add AnyP's collectives")

    # the releases that maint/graft knows; "develop" is newer than each number
    conflicts("+anyp", when="@:3", msg="AnyP needs MPICH 4.0 to 5.1")
    conflicts("+anyp", when="@5.2:", msg="AnyP needs MPICH 4.0 to 5.1")

    with when("+anyp"):
        resource(name="anyp", url=URL, sha256=SHA256, placement="anyp-source")
        # for maint/graft, which runs MPICH's generators and autoreconf
        depends_on("python@3.8:", type="build")
        depends_on("perl", type="build")
        depends_on("m4", type="build")
        depends_on("autoconf@2.69:", type="build")
        depends_on("automake@1.15:", type="build")
        depends_on("libtool@2.4.4:", type="build")

    def autoreconf(self, spec, prefix):
        super().autoreconf(spec, prefix)
        if spec.satisfies("+anyp"):
            with working_dir(self.stage.source_path):
                spec["python"].command(join_path("anyp-source", "maint", "graft"), ".")
