# SPDX-License-Identifier: BSD-3-Clause
"""library - the MPI library under MPICH's tests, and how AnyP's algorithms are forced in it: an
MPICH with AnyP inside, or an unmodified library with the plug-in preloaded.
"""
import json
import os
import pathlib
import shutil
import subprocess

from suite import BLOCKING, COLLECTIVES, Refused

HERE = pathlib.Path(__file__).resolve().parent


def listed_by(anyp, wanted):
    """The wanted algorithms as 'anyp list' describes them; all if none is named."""
    listed = json.loads(subprocess.run([str(anyp), "list", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout.decode())["algorithms"]
    for name in wanted:
        if name not in [one["name"] for one in listed]:
            raise Refused("no algorithm %s; 'anyp list' shows them" % name)
    return [one for one in listed if not wanted or one["name"] in wanted]


def environment(*prefixes):
    """The environment without the variables with these prefixes."""
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}


class Grafted:
    """MPICH in `prefix`, with AnyP inside."""

    own = "MPICH's own algorithms"
    collectives = COLLECTIVES
    may_miss_programs = False
    # MPICH calls allreduce when it makes a communicator; a collective between two groups calls one
    # within a group
    calls_itself = True

    def __init__(self, prefix):
        self.prefix = prefix.resolve()
        self.text = str(self.prefix)    # what the programs are built for
        self.configure = ["--with-mpi=%s" % self.prefix]
        self.without = dict(environment("MPIR_CVAR_"), **{
            "MPIR_CVAR_DEVICE_COLLECTIVES": "none", "MPIR_CVAR_ANYP_SYSTEM_FILE": "0",
            "MPIR_CVAR_COLLECTIVE_FALLBACK": "silent", "MPIR_CVAR_ANYP_VERBOSE": "1"})

    def algorithms(self, wanted):
        folder = self.prefix
        anyp, table = folder / "bin" / "anyp", folder / "share" / "anyp" / "mpich.json"
        for needed in (anyp, table, folder / "bin" / "mpicc", folder / "bin" / "mpiexec"):
            if not needed.exists():
                raise Refused("%s is missing: maint/build-mpich --prefix %s, then maint/build-anyp "
                              "--prefix %s" % (needed, folder, folder))
        found, inside = listed_by(anyp, wanted), table.read_text()
        for one in found:
            if '"anyp_%s"' % one["name"] not in inside:
                raise Refused("the MPICH in %s has no %s: run maint/build-mpich again" % (
                    folder, one["name"]))
        return found

    def command(self, forced):
        """The words of mpiexec; AnyP is inside MPICH, whether forced or not."""
        return [str(self.prefix / "bin" / "mpiexec")]

    @staticmethod
    def variables(choice):
        """The environment that forces an algorithm with its parameters."""
        found = {}
        for collective in choice.collectives:
            stem = "MPIR_CVAR_%s_" % collective.upper()
            found[stem + "INTRA_ALGORITHM"] = (
                "anyp_" if collective in BLOCKING else "tsp_anyp_") + choice.name
            for name, value in choice.parameters.items():
                auto = value == "auto" and name in choice.numbers   # MPICH reads numbers only
                found[stem + "ANYP_" + name.upper()] = "-1" if auto else str(value)
        return found


class Preloaded:
    """An unmodified MPI library; AnyP's plug-in is preloaded where an algorithm is forced. The
    plug-in's folder also has what `make plugin-tests` builds."""

    own = "the library's own algorithms"
    collectives = BLOCKING      # the plug-in passes the others on
    may_miss_programs = True
    calls_itself = False

    def __init__(self, plugin, mpicc, mpiexec, anyp):
        self.plugin = plugin.resolve()
        patience = self.plugin.parent / "test" / "patience.so"
        self.anyp = anyp or self.plugin.parent.parent.parent / "anyp"
        for needed in (self.plugin, self.anyp):
            if not needed.exists():
                raise Refused("%s is missing: run make, or name it with %s" % (
                    needed, "--anyp" if needed is self.anyp else "--plugin"))
        for needed in (mpicc, mpiexec):
            if not needed or not shutil.which(needed):
                raise Refused("no '%s': --plugin needs --mpicc and --mpiexec" % (needed or ""))
        self.mpiexec = [str(HERE.parent / "plugin" / "launch"), "--mpiexec", shutil.which(mpiexec)]
        if patience.exists():
            self.mpiexec += ["--patience", str(patience)]
        self.text = shutil.which(mpicc)
        # Open MPI's mpi.h omits what MPI 3 removed; some of MPICH's programs use it
        self.configure = ["MPICC=%s" % shutil.which(mpicc),
                          "CPPFLAGS=-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"]
        # Open MPI 4.1 with AVX adds integers of 8 and 16 bits with saturation
        self.without = dict(environment("MPIR_CVAR_", "ANYP_", "OMPI_MCA_"), OMPI_MCA_op="^avx")

    def algorithms(self, wanted):
        return listed_by(self.anyp, wanted)

    def command(self, forced):
        return self.mpiexec + (["--preload", str(self.plugin)] if forced else [])

    @staticmethod
    def variables(choice):
        found = {"ANYP_VERBOSE": "1", "ANYP_STRICT": "1"}
        for collective in choice.collectives:
            found["ANYP_%s_ALGORITHM" % collective.upper()] = choice.name
            for name, value in choice.parameters.items():
                found["ANYP_%s_%s" % (collective.upper(), name.upper())] = str(value)
        return found
