"""Independent writers of more formats, a module for each group of them; each module binds ``FAMILIES``.

This module finds them, so that a new group is a new file here.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from writing import Family

FAMILIES: dict[str, Family] = {}
"""Every family of this package, by the format's name."""

for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    FAMILIES.update(import_module(f"{__name__}.{file.stem}").FAMILIES)
