# SPDX-License-Identifier: GPL-2.0
"""Single events, and the reaction that each must have."""
