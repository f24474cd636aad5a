# SPDX-License-Identifier: GPL-2.0
"""The virtual-time lab: cells of (scenario, algorithm, seed), each run on an engine whose clock is virtual."""
