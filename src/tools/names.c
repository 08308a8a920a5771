/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/names.h"

#include <string.h>

enum { LONGEST = 63 };          /* longer words are no typing errors of our names */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete, replace or swap with their neighbour. */
static int distance(const char *a, const char *b)
{
    const int n = (int) strlen(a), m = (int) strlen(b);
    int row[LONGEST + 1][LONGEST + 1];

    for (int j = 0; j <= m; j++)
        row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        row[i][0] = i;
        for (int j = 1; j <= m; j++) {
            const int replaced = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            row[i][j] = least(replaced, 1 + least(row[i - 1][j], row[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    }
    return row[n][m];
}

const char *anypi_tool_nearest(const char *word, const char *const *names, int count)
{
    const size_t length = strlen(word);
    if (length > LONGEST)
        return NULL;
    int best = 1 + (length < 3 ? 1 : (int) length / 3);
    const char *nearest = NULL;
    for (int i = 0; i < count; i++) {
        if (length > 1 && !strncmp(word, names[i], length))
            return names[i];    /* cut short */
        const int far = strlen(names[i]) <= LONGEST ? distance(word, names[i]) : best;
        if (far < best) {
            best = far;
            nearest = names[i];
        }
    }
    return nearest;
}
