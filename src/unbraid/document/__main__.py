"""``python -m unbraid.document DIRECTORY``: write the pages of all shipped formats."""

import sys
from pathlib import Path

from .pages import write


def main() -> int:
    """Write the pages; the exit code."""
    if len(sys.argv) != 2:
        sys.stderr.write("python -m unbraid.document takes the directory to write to, such as docs/formats.\n")
        return 2
    written = write(Path(sys.argv[1]))
    sys.stdout.write(f"{len(written)} files are up to date in {sys.argv[1]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
