/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/lists.h"

#include "schedule/memory.h"
#include "schedule/threads.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Each is its length, followed by its numbers. Lists are never changed; lists_count is
 * published after the list. */
static int *lists[ANYPI_MAXIMUM_LISTS];
static anypi_atomic lists_count = ANYPI_ATOMIC(0);
static anypi_lock adding = ANYPI_UNLOCKED;

const char *anypi_list_read(const char *text, int *numbers, int *count)
{
    if (strlen(text) >= ANYP_VALUE_SIZE)
        return "the list is too long";
    for (*count = 0;; text++) {
        long long number = 0;
        const char *digit = text;
        for (; *digit >= '0' && *digit <= '9'; digit++)
            if (number <= INT_MAX)
                number = 10 * number + (*digit - '0');
        if (digit == text || (*text == '0' && digit > text + 1) || (*digit && *digit != ','))
            return "not a list of whole numbers";
        if (number > INT_MAX)
            return "a number of the list is too large";
        if (*count == ANYPI_MAXIMUM_LIST)
            return "the list is too long";
        numbers[(*count)++] = (int) number;
        text = digit;
        if (!*text)
            return NULL;
    }
}

/* Adds a list after `last` others. The lock is held. */
static anyp_status append(int last, const int *numbers, int count)
{
    if (last == ANYPI_MAXIMUM_LISTS)
        return ANYP_ERR_ARGUMENT;
    int *list = anypi_realloc(NULL, (size_t) (count + 1) * sizeof *list);
    if (!list)
        return ANYP_ERR_MEMORY;
    list[0] = count;
    memcpy(list + 1, numbers, (size_t) count * sizeof *list);
    lists[last] = list;
    anypi_atomic_store(&lists_count, last + 1);
    return ANYP_SUCCESS;
}

anyp_status anypi_list_add(const int *numbers, int count, int *index)
{
    anyp_status status = ANYP_SUCCESS;
    anypi_lock_enter(&adding);
    const int last = anypi_atomic_load(&lists_count);
    for (*index = 0; *index < last; ++*index) {
        const int *list = lists[*index];
        if (list[0] == count && !memcmp(list + 1, numbers, (size_t) count * sizeof *list))
            break;
    }
    if (*index == last)
        status = append(last, numbers, count);
    anypi_lock_leave(&adding);
    return status;
}

void anypi_lists_free(void)
{
    anypi_lock_enter(&adding);
    for (int i = anypi_atomic_load(&lists_count); i > 0; i--)
        anypi_free(lists[i - 1]);
    anypi_atomic_store(&lists_count, 0);
    anypi_lock_leave(&adding);
}

const int *anypi_list_at(int index, int *count)
{
    if (index < 0 || index >= anypi_atomic_load(&lists_count))
        return NULL;
    *count = lists[index][0];
    return lists[index] + 1;
}

char *anypi_list_text(int index, char *text, size_t size)
{
    int count = 0;
    size_t used = 0;
    const int *numbers = anypi_list_at(index, &count);
    if (size > 0)
        *text = '\0';
    for (int i = 0; i < count && used < size; i++)
        used += (size_t) snprintf(text + used, size - used, "%s%d", i ? "," : "", numbers[i]);
    return text;
}
