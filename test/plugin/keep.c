/* SPDX-License-Identifier: BSD-3-Clause
 *
 * keep.c - for tests with sanitizers: libraries that a process has loaded stay. MPI libraries
 * unload theirs at the end, before leaks are reported, which then have no name to suppress them by.
 */
int dlclose(void *library);

int dlclose(void *library)
{
    (void) library;
    return 0;
}
