# SPDX-License-Identifier: GPL-2.0
"""The virtual-time lab: cells of (scenario, algorithm, seed), each run in a machine whose clock counts instructions."""
