# SPDX-License-Identifier: GPL-2.0
"""What people see: tables, pages, pictures."""
