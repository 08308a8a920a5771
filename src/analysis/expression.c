/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/expression.h"

#include "schedule/memory.h"

#include <stdio.h>

/* Writes a symbol of p ranks. A stack contains what is not written yet, signs as negative
 * numbers. */
static anyp_status write_symbol(const anypi_symbol *all, int p, int symbol, char **text)
{
    const size_t size = (size_t) p;
    char *out = *text = anypi_realloc(NULL, size * sizeof "(+x2147483647)" + 1);
    int *stack = anypi_realloc(NULL, (4 * size + 1) * sizeof *stack);
    anyp_status status = out && stack ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    int *top = stack, sums = 0;
    if (status == ANYP_SUCCESS)
        *top++ = symbol;
    while (top > stack && status == ANYP_SUCCESS) {
        const int next = *--top;
        if (next < 0) {
            *out++ = (char) -next;
        } else if (next <= p) {
            out += sprintf(out, "x%d", next - 1);
        } else if (++sums == p) {
            status = ANYP_ERR_SCHEDULE;         /* something is contributed twice */
        } else {
            const bool brackets = all[next].right > p;
            if (brackets)
                *top++ = -')';
            *top++ = all[next].right;
            if (brackets)
                *top++ = -'(';
            *top++ = -'+';
            *top++ = all[next].left;
        }
    }
    anypi_free(stack);
    if (status == ANYP_SUCCESS) {
        *out = '\0';
        return ANYP_SUCCESS;
    }
    anypi_free(*text);
    *text = NULL;
    return status;
}

anyp_status anypi_expression_of(const anypi_verifier *replayed, int p, int rank, int block,
                                char **text)
{
    const int symbol = anypi_verifier_result(replayed, rank, block);
    *text = NULL;
    return symbol ? write_symbol(anypi_verifier_symbols(replayed), p, symbol, text)
        : ANYP_ERR_SCHEDULE;
}
