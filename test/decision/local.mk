# SPDX-License-Identifier: BSD-3-Clause
# Decision files: those with a fault, and their messages, in the table malformed.txt (its form is in
# test/inputs.py), valid/, and defaults.json in place of MPICH's. The unit tests loop over them, for
# each vocabulary of MPICH's names; files in folders like from-4.3 and before-4.2, and inputs with
# such a word behind their names, are only for such releases. RELEASE in a message is the
# vocabulary's.
EXTRA_DIST += test/decision
