"""docs/new-format.md is right: its files are written, its commands run, and what they print is what the page shows.

``python tests/test_new_format.py`` writes the output of the commands into the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs/new-format.md"
SOURCE = Path(__file__).parent.parent / "src"
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.M | re.S)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SHELL = 'unbraid() { "$PYTHON" -m unbraid "$@"; }\npython() { "$PYTHON" "$@"; }\n'
"""What the names in the page's commands mean here."""


def replayed(page: str, directory: Path) -> str:
    """The page with the output that its commands have now, run in a directory with its files in it."""
    for name, text in FILE.findall(page):
        (directory / name).write_text(text, encoding="utf-8")
    return CONSOLE.sub(lambda block: f"```console\n{_run(block[1], directory)}```", page)


def _run(block: str, directory: Path) -> str:
    told = ""
    for line in block.splitlines():
        if line.startswith("$ "):
            told += f"{line}\n{_output(line[2:], directory)}"
    return told


def _output(command: str, directory: Path) -> str:
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "PYTEST_ADDOPTS")}
    added = {"PYTHON": sys.executable, "PYTHONPATH": str(SOURCE), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        ["sh", "-c", SHELL + command],
        cwd=directory,
        env={**kept, **added},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return re.sub(r" in [\d.]+s\b", " in 0.01s", run.stdout)


@pytest.mark.skipif(
    sys.version_info < (3, 11) or find_spec("tomllib") is None, reason="the page reads TOML with the standard library"
)
def test_the_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    assert CONSOLE.search(page)
    assert replayed(page, tmp_path) == page, "run python tests/test_new_format.py, and read what has changed"


def test_the_page_has_the_files_that_its_commands_name() -> None:
    page = PAGE.read_text("utf-8")
    files = {name for name, _ in FILE.findall(page)} | {"slip.toml"}
    commands = "\n".join(line for block in CONSOLE.findall(page) for line in block.splitlines() if line[:2] == "$ ")
    assert set(re.findall(r"\b[\w.]+\.(?:toml|txt|json|py)\b", commands)) <= files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(replayed(PAGE.read_text("utf-8"), Path(made)), encoding="utf-8")
