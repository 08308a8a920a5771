# SPDX-License-Identifier: BSD-3-Clause
"""debian_source - the upstream tarball of a Debian source package, by apt's own client and from the
mirrors that this machine's apt is configured for, with apt's own verification. The system's apt
configuration and its package lists are not changed.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile


class Failed(Exception):
    """What went wrong and what to do next."""


# ---- what apt already has ----

def apt_directories():
    """(file, folder) of this machine's package sources."""
    try:
        output = subprocess.run(
            ["apt-config", "shell", "FILE", "Dir::Etc::sourcelist/f", "FOLDER",
             "Dir::Etc::sourceparts/d"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise Failed("no apt on this machine") from None
    values = dict(re.findall(r"^(\w+)='(.*)'$", output, re.MULTILINE))
    return values.get("FILE", "/etc/apt/sources.list"), values.get("FOLDER",
                                                                   "/etc/apt/sources.list.d/")


def codename():
    """The release of this machine, like 'bookworm'; '' if unknown."""
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            match = re.search(r'^VERSION_CODENAME="?([a-z]+)"?$', file.read(), re.MULTILINE)
    except OSError:
        return ""
    return match.group(1) if match else ""


def is_of_the_distribution(suites, components):
    """Archives of third parties seldom have sources, and none has these."""
    releases = [codename(), "stable", "oldstable", "testing", "unstable", "sid"]
    known = [release + ending for release in releases if release
             for ending in ("", "-updates", "-security", "/updates")]
    return any(suite in known for suite in suites) and bool(
        {"main", "universe"} & set(components))


def source_stanzas(text):
    """The stanzas of a deb822 file as deb-src only, those of the distribution."""
    for stanza in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in stanza.splitlines() if not line.startswith("#")]
        fields = {}
        for line in lines:
            if re.match(r"[^\s:]+:", line):
                name, _, value = line.partition(":")
                key = name.lower()
                fields[key] = value.strip()
            elif fields:
                fields[key] += " " + line.strip()
        if fields.get("enabled", "yes").lower() in ("no", "false", "0", "off", "disable"):
            continue
        if is_of_the_distribution(fields.get("suites", "").split(),
                                  fields.get("components", "").split()):
            lines = [line for line in lines
                     if not re.match(r"(Types|Architectures):", line, re.IGNORECASE)]
            yield "Types: deb-src\n" + "\n".join(lines).strip("\n") + "\n"


def source_lines(text):
    """The lines of a one-line-style file as deb-src, those of the distribution."""
    for line in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]+)", line)
        if match and is_of_the_distribution([match.group(3)], match.group(4).split()):
            options = re.sub(r"\barch=\S+?(?=[\s\]])", "", match.group(1) or "")
            options = "" if not re.search(r"\w", options) else options
            yield "deb-src %s%s %s %s\n" % (options, match.group(2), match.group(3),
                                            match.group(4).strip())


def write_sources(folder):
    """Private deb-src entries, a file each; how many."""
    single, parts = apt_directories()
    files = [single] + sorted(glob.glob(os.path.join(parts, "*.list"))
                              + glob.glob(os.path.join(parts, "*.sources")))
    entries = []
    for path in files:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError:
            continue
        if path.endswith(".sources"):
            entries += [("sources", entry) for entry in source_stanzas(text)]
        else:
            entries += [("list", entry) for entry in source_lines(text)]
    entries = list(dict.fromkeys(entries))
    for number, (ending, entry) in enumerate(entries):
        with open(os.path.join(folder, "%02d.%s" % (number, ending)), "w",
                  encoding="utf-8") as file:
            file.write(entry)
    return len(entries)


# ---- the source package ----

def default_cache():
    """Where sources and builds are kept, as in lib.sh."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("ANYP_CACHE") or os.path.join(home, "anyp")


def fetch(package, kept, say):
    """The tarball of a source package, in the folder `kept`; say() reports progress."""
    found = tarballs(package, kept)
    cache = os.path.dirname(kept)
    if found:
        say("using %s, fetched before" % found[0])
        return found[0]
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as work:
        for name in ("parts", "lists/partial", "cache/archives/partial", "new"):
            os.makedirs(os.path.join(work, name))
        if not write_sources(os.path.join(work, "parts")):
            raise Failed("apt has no entry for this distribution's own archive")
        options = ["-q", "-o", "Dir::Etc::sourcelist=/dev/null",
                   "-o", "Dir::Etc::sourceparts=" + os.path.join(work, "parts"),
                   "-o", "Dir::State::lists=" + os.path.join(work, "lists"),
                   "-o", "Dir::Cache=" + os.path.join(work, "cache")]
        say("reading the package lists")
        # a list that cannot be fetched does not matter if another one has the package
        apt(work, options + ["update"], may_fail=True)
        say("fetching the source package " + package)
        apt(os.path.join(work, "new"), options + ["source", "--download-only", package])
        if not tarballs(package, os.path.join(work, "new")):
            raise Failed("the source package %s came without an orig tarball" % package)
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(os.path.join(work, "new"), kept)
    return tarballs(package, kept)[0]


def tarballs(package, folder):
    return sorted(glob.glob(os.path.join(folder, package + "_*.orig.tar.*z*")))


def apt(folder, arguments, may_fail=False):
    """Runs apt-get; its output goes to stderr if it fails."""
    command = ["apt-get"] + arguments
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=dict(os.environ, LC_ALL="C"))
    if done.returncode:
        sys.stderr.write(done.stdout)
        if not may_fail:
            raise Failed("apt failed: %s" % shlex.join(command))
