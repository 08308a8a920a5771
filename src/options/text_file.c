/* SPDX-License-Identifier: BSD-3-Clause */
#include "options/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *anypi_file_read(const char *name, const char **reason)
{
    struct stat status;
    char *text = NULL;
    size_t size = 0;
    const int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file || fstat(descriptor, &status)) {
        *reason = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        *reason = "it is not a regular file";
    } else if (getdelim(&text, &size, '\0', file) < 0) {
        *reason = strerror(errno);
        free(text);
        text = ferror(file) ? NULL : strdup("");
    }
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    if (text && !strncmp(text, "\xef\xbb\xbf", 3))
        memmove(text, text + 3, strlen(text + 3) + 1);
    return text;
}

char *anypi_text_end(FILE *file, char **text)
{
    if (!(ferror(file) | fclose(file)))
        return *text;
    free(*text);
    return NULL;
}

/* Sets the path, without links, of a file that may not exist yet. False: the path is too long, or
 * the folder does not exist. */
static bool canonical(const char *name, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    if (realpath(name, path))
        return true;
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int) (last - name) : 1,
                 slash ? name : ".") >= (int) sizeof folder || !realpath(folder, path))
        return false;
    const size_t used = strlen(path);
    return snprintf(path + used, PATH_MAX - used, "/%s", last) < (int) (PATH_MAX - used);
}

bool anypi_file_same(const char *one, const char *other)
{
    struct stat a, b;
    char path[PATH_MAX], other_path[PATH_MAX];
    return !strcmp(one, other) ||
        (!stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino) ||
        (canonical(one, path) && canonical(other, other_path) && !strcmp(path, other_path));
}

/* A file that is to be written. */
typedef struct anypi_new_file {
    char target[PATH_MAX];      /* its name; if that is a link, the file behind it */
    char temporary[PATH_MAX];   /* a file beside the target */
    mode_t mode;                /* of the old file; otherwise the usual mode of a new one */
} anypi_new_file;

/* Opens the temporary file; returns -1 and a message on failure. */
static int open_temporary(const char *name, const char *option, anypi_new_file *new, char *message,
                          size_t size)
{
    struct stat status;
    const bool exists = !stat(name, &status);
    if (exists && !S_ISREG(status.st_mode)) {
        snprintf(message, size, "%s is not a file; give another name with %s", name, option);
        return -1;
    }
    if (!exists && !lstat(name, &status)) {
        snprintf(message, size, "%s is a link to a file that does not exist; give another name "
                 "with %s", name, option);
        return -1;
    }
    const mode_t mask = umask(0);
    umask(mask);
    new->mode = exists ? status.st_mode & 0777 : 0666 & ~mask;
    if ((exists && !realpath(name, new->target)) ||
        (!exists && snprintf(new->target, PATH_MAX, "%s", name) >= PATH_MAX) ||
        snprintf(new->temporary, PATH_MAX, "%s.XXXXXX", new->target) >= PATH_MAX) {
        snprintf(message, size, "the name of the file to write is too long: %s", option);
        return -1;
    }
    const int file = mkstemp(new->temporary);
    if (file < 0)
        snprintf(message, size, "cannot write %s: %s; make its directory or give another name "
                 "with %s", name, strerror(errno), option);
    return file;
}

bool anypi_file_writable(const char *name, const char *option, char *message, size_t size)
{
    anypi_new_file new;
    const int file = open_temporary(name, option, &new, message, size);
    if (file < 0)
        return false;
    close(file);
    unlink(new.temporary);
    return true;
}

bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size)
{
    anypi_new_file new;
    const int descriptor = open_temporary(name, option, &new, message, size);
    if (descriptor < 0)
        return false;
    FILE *file = fdopen(descriptor, "w");
    bool done = file && fputs(text, file) >= 0 && !fflush(file) && !fsync(descriptor) &&
        !fchmod(descriptor, new.mode);
    done = !(file ? fclose(file) : close(descriptor)) && done &&
        !rename(new.temporary, new.target);
    if (!done) {
        snprintf(message, size, "cannot write %s: %s; free space or give another name with %s",
                 name, strerror(errno), option);
        unlink(new.temporary);
    }
    return done;
}
