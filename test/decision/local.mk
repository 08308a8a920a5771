# SPDX-License-Identifier: BSD-3-Clause
# Decision files: malformed/NAME.json with its message in NAME.expected, valid/, and defaults.json,
# which stands for MPICH's. The unit tests loop over the folders.
EXTRA_DIST += test/decision
