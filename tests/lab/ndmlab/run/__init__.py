# SPDX-License-Identifier: GPL-2.0
"""How a cell is run, in either engine, and kept."""
