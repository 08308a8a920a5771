# SPDX-License-Identifier: BSD-3-Clause
"""graft_tree.py - an MPICH source tree on disk: what the graft changed there and how to undo it.

The tree's folder .anyp/ keeps the originals of all files that the graft changed, with mode and
time, and state.json, which names them. A graft or an update is a transaction: begin() first copies
all files that may change to .anyp/previous, finish() keeps the originals among them, rollback()
puts them all back. All that is needed for that is on disk, so that it works after a kill too.

Files may have hard links outside of the tree (cp -al), which never change: what is written gets a
file of its own first. Symbolic links in the tree stay: what is written through one is written to
the file that it means, and only if that is in the tree.
"""
import fcntl
import filecmp
import hashlib
import json
import os
import shutil
import time

HOME = ".anyp"
STATE = HOME + "/state.json"
ORIGINALS = HOME + "/originals"
PREVIOUS = HOME + "/previous"  # the files as they were before the graft or update under way
NEW = ".anyp-new"  # after the name of a file that is being written
KEPT = ".anyp-kept"  # after the name of a regenerated file that was edited


class Refused(Exception):
    """The tree cannot be grafted; nothing was written."""


def lock(top, patience, waiting):
    """Keeps other grafts out of a tree as long as the returned descriptor is open, here or in a
    child. The lock is on the folder itself: it leaves nothing in the tree, and ends with the
    processes that have it. Calls waiting() if another has it; Refused after `patience` seconds."""
    try:
        descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError):
        raise Refused("%s is no directory" % top) from None
    end = time.monotonic() + patience
    waits = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # what this process starts goes on writing if it is killed
            os.set_inheritable(descriptor, True)
            return descriptor
        except BlockingIOError:
            pass
        except OSError:  # a file system without locks for folders
            return descriptor
        if time.monotonic() >= end:
            os.close(descriptor)
            raise Refused("another graft of %s is at work, or MPICH's generators that it has "
                          "started; try again when they have ended" % top)
        if not waits:
            waiting()
        waits = True
        time.sleep(0.1)


def digest(content):
    """A short name for bytes."""
    return hashlib.sha256(content).hexdigest()


def own(path, like):
    """If root works on a user's tree: gives a file or folder the owner of `like`."""
    if os.geteuid() == 0:
        stat = os.lstat(like)
        os.chown(path, stat.st_uid, stat.st_gid, follow_symlinks=False)


def copy(source, target):
    """Copies a file or a symbolic link with its owner, mode and time, and makes the folders for
    it."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target, follow_symlinks=False)
    own(target, source)
    shutil.copystat(source, target, follow_symlinks=False)


def same(one, other):
    """Whether two files have the same content, mode and time; two links the same target."""
    if os.path.islink(one) or os.path.islink(other):
        return os.path.islink(one) and os.path.islink(other) and (
            os.readlink(one) == os.readlink(other))
    first, second = os.stat(one), os.stat(other)
    return ((first.st_mode, first.st_mtime_ns) == (second.st_mode, second.st_mtime_ns)
            and filecmp.cmp(one, other, shallow=False))


def has_shape(state):
    """Is it what save_state() writes? Older releases of AnyP write fewer of the members."""
    shape = {"complete": bool, "saved": dict, "written": dict, "regenerated": dict,
             "folders": list, "previous": dict, "shared": list}
    return isinstance(state, dict) and all(isinstance(value, shape.get(name, object))
                                           for name, value in state.items())


class Tree:
    """One source tree. `saved`: {path: True if it was there before the graft, else False}, the
    files that are not as they were; `written`: {path: digest of what the graft wrote};
    `regenerated`: {path: digest of what MPICH's generators wrote}; `folders`: made by the graft,
    outermost first. While a graft or update is under way, `previous` is {path:
    whether it was there before} of the files that it may change, and `shared` names the folders in
    which every new file is taken for ours."""

    def __init__(self, top):
        self.top = os.path.realpath(top)
        self.grafted = os.path.exists(self.path(STATE))
        self.complete = False
        self.saved, self.written, self.regenerated, self.folders = {}, {}, {}, []
        self.previous, self.shared = {}, []
        if self.grafted:
            with open(self.path(STATE), encoding="utf-8") as file:
                state = json.load(file)
            if not has_shape(state):
                raise ValueError("it is not what this AnyP writes")
            self.complete = state["complete"]
            self.saved, self.written = state["saved"], state["written"]
            self.regenerated, self.folders = state.get("regenerated", {}), state["folders"]
            self.previous, self.shared = state.get("previous", {}), state.get("shared", [])

    def path(self, name):
        return os.path.join(self.top, name)

    def real_name(self, name):
        """The name of the file that a name means, which is another one for a symbolic link. Refused
        if writing there would not be writing to this name's folder, or to a file of the tree."""
        folder = os.path.dirname(name)
        if os.path.realpath(self.path(folder)) != os.path.normpath(self.path(folder)):
            raise Refused("a folder in %s is a symbolic link, and files there would be written: "
                          "put a copy of it in its place" % self.path(name))
        if not os.path.islink(self.path(name)):
            return name
        real = os.path.realpath(self.path(name))
        if not real.startswith(self.top + "/"):
            raise Refused("%s is a symbolic link to %s, which is outside of the tree and would be "
                          "written: put a copy in its place" % (self.path(name), real))
        return self.real_name(os.path.relpath(real, self.top))

    def read(self, name):
        """The bytes of a file as it is now, or None."""
        return self.read_path(self.path(name))

    def original(self, name):
        """The bytes of a file as it was before the graft, or None."""
        name = self.real_name(name)
        if name in self.saved:
            return self.read_path(self.path(ORIGINALS + "/" + name)) if self.saved[name] else None
        return self.read(name)

    @staticmethod
    def read_path(path):
        try:
            with open(path, "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def save_state(self, complete):
        """Writes state.json, whole or not at all."""
        self.complete, self.grafted = complete, True
        os.makedirs(self.path(HOME), exist_ok=True)
        state = {"complete": complete, "saved": self.saved, "written": self.written,
                 "regenerated": self.regenerated, "folders": self.folders,
                 "previous": self.previous, "shared": self.shared}
        with open(self.path(STATE + ".new"), "w", encoding="utf-8") as file:
            json.dump(state, file, indent=1, sort_keys=True)
            file.write("\n")
        own(self.path(STATE + ".new"), self.top)
        os.replace(self.path(STATE + ".new"), self.path(STATE))

    def begin(self, plan, others, shared):
        """Before a graft or update: keeps all that it may change (files of the plan, others, and
        all that an earlier graft changed), so that rollback() can put it back. Names of the plan
        are real ones."""
        names = self.may_change(plan, others, shared)
        shutil.rmtree(self.path(PREVIOUS), ignore_errors=True)
        there = {name: os.path.lexists(self.path(name)) for name in names}
        for name in there:
            if there[name]:
                copy(self.path(name), self.path(PREVIOUS + "/" + name))
        if self.complete:
            copy(self.path(STATE), self.path(PREVIOUS + "/" + STATE))
        self.note_folders([*plan, *shared])
        self.previous, self.shared = there, list(shared)
        self.save_state(False)

    def may_change(self, plan, others, shared):
        """The names of all files that a graft or update may change. Refused if it must not."""
        names = {*plan, *others, *self.saved}
        for folder in shared:
            self.real_name(folder)
        return names | {self.real_name(name) for name in names}

    def unshare(self):
        """Files that may change, and that have hard links elsewhere, become files of their own."""
        for name in self.previous:
            path = self.path(name)
            if os.path.isfile(path) and not os.path.islink(path) and os.stat(path).st_nlink > 1:
                copy(path, path + NEW)
                os.replace(path + NEW, path)

    def keep_links(self):
        """Generators may have put files in the place of symbolic links: the files go to where the
        links point, and the links come back."""
        for name, there in self.previous.items():
            old, path = self.path(PREVIOUS + "/" + name), self.path(name)
            if there and os.path.islink(old) and os.path.isfile(path) and not os.path.islink(path):
                real = os.path.realpath(os.path.join(os.path.dirname(path), os.readlink(old)))
                os.replace(path, real)
                copy(old, path)

    def note_new(self):
        """Files that a tool made in the shared folders are ours."""
        for folder in self.shared:
            if os.path.isdir(self.path(folder)):
                for file in os.listdir(self.path(folder)):
                    self.previous.setdefault(folder + file, False)

    def finish(self):
        """After a graft or update that went well: keeps the originals of what it changed. Returns
        the names under which edits of regenerated files are kept that were made meanwhile."""
        self.note_new()
        for name, there in self.previous.items():
            old, path = self.path(PREVIOUS + "/" + name), self.path(name)
            if name not in self.saved and (not there or not os.path.lexists(path)
                                           or not same(old, path)):
                if there:
                    copy(old, self.path(ORIGINALS + "/" + name))
                self.saved[name] = there
        self.keep_owners()
        kept = self.note_regenerated()
        self.previous, self.shared = {}, []
        self.save_state(True)
        shutil.rmtree(self.path(PREVIOUS))
        return kept

    def keep_owners(self):
        """What was written gets the owner of its original, or else of the tree."""
        for name, there in self.saved.items():
            if os.path.exists(self.path(name)):
                own(self.path(name), self.path(ORIGINALS + "/" + name) if there else self.top)
        for name in self.folders:
            if os.path.isdir(self.path(name)):
                own(self.path(name), self.top)
        for folder, _, _ in os.walk(self.path(HOME)):
            own(folder, self.top)

    def note_regenerated(self):
        """Remembers what the generators wrote. Edits that they overwrote are kept beside it."""
        kept = []
        old = {name: self.regenerated[name] for name in self.edited(PREVIOUS + "/")}
        for name in self.saved:
            content = self.read(name)
            if name in self.written or content is None:
                self.regenerated.pop(name, None)
            elif name not in old:
                self.regenerated[name] = digest(content)
            elif content != self.read(PREVIOUS + "/" + name):
                self.regenerated[name] = digest(content)
                kept.append(self.keep(PREVIOUS + "/" + name, name))
        return kept

    def edited(self, folder=""):
        """Regenerated files that are no longer as the generators wrote them."""
        contents = {name: self.read(folder + name) for name in self.regenerated}
        return [name for name, content in contents.items()
                if content is not None and digest(content) != self.regenerated[name]]

    def keep(self, copied, name):
        """Copies a file to NAME.anyp-kept or, if taken, NAME.anyp-kept2 ...; returns the name."""
        kept, number = name + KEPT, 1
        while os.path.exists(self.path(kept)):
            number += 1
            kept = "%s%s%d" % (name, KEPT, number)
        copy(self.path(copied), self.path(kept))
        return kept

    def rollback(self):
        """Everything as before a graft or update that failed. May be called again if it was
        interrupted."""
        self.note_new()
        self.put_back(self.previous, PREVIOUS)
        state = self.path(PREVIOUS + "/" + STATE)
        folders = self.folders
        if os.path.exists(state):
            os.replace(state, self.path(STATE))
            shutil.rmtree(self.path(PREVIOUS))
        else:
            shutil.rmtree(self.path(HOME))
        self.remove_empty(folders)
        self.__init__(self.top)

    def put_back(self, there, copies):
        """The files {path: whether it was there} as they are among the copies."""
        for name in there:
            if os.path.exists(self.path(name + NEW)):
                os.remove(self.path(name + NEW))
            if there[name]:
                kept = self.path(copies + "/" + name)
                if os.path.lexists(kept):  # else put back already
                    os.replace(kept, self.path(name))
            elif os.path.lexists(self.path(name)):
                os.remove(self.path(name))

    def remove_empty(self, folders):
        for folder in reversed(folders):
            if os.path.isdir(self.path(folder)) and not os.listdir(self.path(folder)):
                os.rmdir(self.path(folder))

    def note_folders(self, names):
        """Remembers which folders must be made for files."""
        for name in names:
            parts = os.path.dirname(name).split("/")
            for depth in range(1, len(parts) + 1):
                folder = "/".join(parts[:depth])
                if folder and not os.path.isdir(self.path(folder)) and folder not in self.folders:
                    self.folders.append(folder)

    def write(self, name, content):
        """Writes a file that begin() has kept, keeping its mode."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + NEW, "wb") as file:
            file.write(content)
        if os.path.exists(path):
            shutil.copymode(path, path + NEW)
        os.replace(path + NEW, path)
        self.written[name] = digest(content)

    def remove(self, name):
        """Removes a file that the graft made."""
        if os.path.exists(self.path(name)):
            os.remove(self.path(name))
        self.written.pop(name, None)

    def changed_by_others(self):
        """Files that are no longer as the graft wrote them."""
        found = []
        for name, expected in sorted(self.written.items()):
            content = self.read(name)
            if content is None or digest(content) != expected:
                found.append(name)
        return found

    def restore(self):
        """Everything as before the first graft. May be called again if it was interrupted. Returns
        the names under which edits of regenerated files are kept."""
        self.save_state(False)
        kept = []
        for name in self.edited():
            # else put back already
            if not self.saved[name] or os.path.exists(self.path(ORIGINALS + "/" + name)):
                kept.append(self.keep(name, name))
        self.put_back(self.saved, ORIGINALS)
        self.remove_empty(self.folders)
        shutil.rmtree(self.path(HOME))
        self.__init__(self.top)
        return kept

    def recover(self):
        """Undoes what was interrupted: a graft or update, or a revert, which is finished. Returns
        the names under which edits are kept."""
        if not self.previous:
            return self.restore()
        self.rollback()
        return []

    def stamps(self):
        """{path: (time, size)} of all files but our own, to see what a tool has written."""
        found = {}
        for folder, folders, files in os.walk(self.top):
            if folder == self.top and HOME in folders:
                folders.remove(HOME)
            for file in files:
                path = os.path.join(folder, file)
                stat = os.lstat(path)
                found[os.path.relpath(path, self.top)] = (stat.st_mtime_ns, stat.st_size)
        return found
