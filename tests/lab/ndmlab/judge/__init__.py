# SPDX-License-Identifier: GPL-2.0
"""Figures of results, and what they are judged by."""
