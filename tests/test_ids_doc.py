"""The examples of ``docs/ids.md``, run as they stand there."""

from __future__ import annotations

import doctest
from pathlib import Path

from vocabularies import qwen

PAGE = Path(__file__).parent.parent / "docs" / "ids.md"


def test_every_example_says_what_the_page_says() -> None:
    names = {"tokenizer": qwen().tokenizer}
    examples = doctest.DocTestParser().get_doctest(PAGE.read_text("utf-8"), names, PAGE.name, str(PAGE), 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=report.append)
    assert result.attempted > 25
    assert not result.failed, "".join(report)
