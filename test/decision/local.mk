# SPDX-License-Identifier: BSD-3-Clause
# Decision files: malformed/NAME.json with its message in NAME.expected, valid/, and defaults.json
# in place of MPICH's. The unit tests loop over the folders, for each vocabulary of MPICH's names;
# files in folders like from-4.3 and before-4.2 are only for such releases. RELEASE in a message is
# the vocabulary's.
EXTRA_DIST += test/decision
