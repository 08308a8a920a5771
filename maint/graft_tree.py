# SPDX-License-Identifier: BSD-3-Clause
"""graft_tree.py - an MPICH source tree on disk: what the graft changed there and how to undo it.

The tree's folder .anyp/ keeps the originals of all files that are written, with mode and time, and
state.json, which names them. It is written before the first change, so that an interrupted graft
can be undone too.
"""
import hashlib
import json
import os
import shutil

HOME = ".anyp"
STATE = HOME + "/state.json"
ORIGINALS = HOME + "/originals"
NEW = ".anyp-new"  # behind the name of a file that is being written


def digest(content):
    """A short name for bytes."""
    return hashlib.sha256(content).hexdigest()


class Tree:
    """One source tree. `saved`: {path: True if it was there before, else False}; `written`:
    {path: digest of what the graft wrote}; `folders`: made by the graft, outermost first."""

    def __init__(self, top):
        self.top = top
        self.grafted = os.path.exists(self.path(STATE))
        self.complete = False
        self.saved, self.written, self.folders, self.notes = {}, {}, [], {}
        if self.grafted:
            with open(self.path(STATE), encoding="utf-8") as file:
                state = json.load(file)
            self.complete = state["complete"]
            self.saved, self.written = state["saved"], state["written"]
            self.folders, self.notes = state["folders"], state["notes"]

    def path(self, name):
        return os.path.join(self.top, name)

    def read(self, name):
        """The bytes of a file as it is now, or None."""
        return self.read_path(self.path(name))

    def original(self, name):
        """The bytes of a file as it was before the graft, or None."""
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
                 "folders": self.folders, "notes": self.notes}
        with open(self.path(STATE + ".new"), "w", encoding="utf-8") as file:
            json.dump(state, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(self.path(STATE + ".new"), self.path(STATE))

    def save(self, names):
        """Keeps the originals of files that will be written; call save_state() afterwards."""
        for name in names:
            if name in self.saved:
                continue
            there = os.path.exists(self.path(name))
            if there:
                copy = self.path(ORIGINALS + "/" + name)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy2(self.path(name), copy)
            self.saved[name] = there

    def note_folders(self, names):
        """Remembers which folders must be made for files; call save_state() afterwards."""
        for name in names:
            parts = os.path.dirname(name).split("/")
            for depth in range(1, len(parts) + 1):
                folder = "/".join(parts[:depth])
                if folder and not os.path.isdir(self.path(folder)) and folder not in self.folders:
                    self.folders.append(folder)

    def write(self, name, content):
        """Writes a saved file, keeping its mode."""
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
        """Everything as before the graft. May be called again if it was interrupted."""
        self.save_state(False)
        for name, there in self.saved.items():
            if os.path.exists(self.path(name + NEW)):
                os.remove(self.path(name + NEW))
            if there:
                copy = self.path(ORIGINALS + "/" + name)
                if os.path.exists(copy):  # else restored already
                    os.replace(copy, self.path(name))
            elif os.path.exists(self.path(name)):
                os.remove(self.path(name))
        for folder in reversed(self.folders):
            if os.path.isdir(self.path(folder)) and not os.listdir(self.path(folder)):
                os.rmdir(self.path(folder))
        shutil.rmtree(self.path(HOME))
        self.__init__(self.top)

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
