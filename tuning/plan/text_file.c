/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a regular file; NULL with *reason. */
static FILE *open_regular(const char *name, const char **reason)
{
    struct stat status;
    const int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        *reason = strerror(errno);
        return NULL;
    }
    FILE *file = NULL;
    if (fstat(descriptor, &status))
        *reason = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        *reason = "it is not a regular file";
    else if (!(file = fdopen(descriptor, "r")))
        *reason = strerror(errno);
    if (!file)
        close(descriptor);
    return file;
}

char *anypi_file_read(const char *name, const char **reason)
{
    FILE *file = open_regular(name, reason);
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        *reason = strerror(errno);
        text = ferror(file) ? NULL : strdup("");
    }
    fclose(file);
    return text;
}

/* Opens a file beside the one that is to be written; -1 and a message. */
static int open_temporary(const char *name, const char *option, char temporary[PATH_MAX],
                          char *message, size_t size)
{
    struct stat status;
    if (!stat(name, &status) && !S_ISREG(status.st_mode)) {
        snprintf(message, size, "%s is not a file; give another name with %s", name, option);
        return -1;
    }
    if (snprintf(temporary, PATH_MAX, "%s.XXXXXX", name) >= PATH_MAX) {
        snprintf(message, size, "the name of the file to write is too long: %s", option);
        return -1;
    }
    const int file = mkstemp(temporary);
    if (file < 0)
        snprintf(message, size, "cannot write %s: %s; make its directory or give another name "
                 "with %s", name, strerror(errno), option);
    return file;
}

bool anypi_file_writable(const char *name, const char *option, char *message, size_t size)
{
    char temporary[PATH_MAX];
    const int file = open_temporary(name, option, temporary, message, size);
    if (file < 0)
        return false;
    close(file);
    unlink(temporary);
    return true;
}

static bool write_all(int file, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        const ssize_t written = write(file, text, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        left -= (size_t) written;
    }
    return !fsync(file) && !fchmod(file, 0644);
}

bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size)
{
    char temporary[PATH_MAX];
    const int file = open_temporary(name, option, temporary, message, size);
    if (file < 0)
        return false;
    bool done = write_all(file, text);
    done = !close(file) && done && !rename(temporary, name);
    if (!done) {
        snprintf(message, size, "cannot write %s: %s; free space or give another name with %s",
                 name, strerror(errno), option);
        unlink(temporary);
    }
    return done;
}
