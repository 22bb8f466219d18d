"""What may be wrong with a format: alone, against a model's tokenizer, and against its chat template.

What lives here: :func:`lint`, what it finds, and how that is printed. The checks are in ``structure``, ``vocabulary``
and ``template``, one for each thing that a format can be held against. What makes a format impossible isn't here but
refused when one is built (``checks``, ``reach``).

    from unbraid.lint import Vocabulary, lint
    for finding in lint(unbraid.resolve("qwen3"), vocabulary=Vocabulary.from_json(text)):
        print(finding.severity, finding.where, finding.message)
"""

from __future__ import annotations

from ..format import Format
from .finding import SEVERITIES, Finding, Severity
from .structure import alone
from .template import against_template, template_text
from .vocabulary import HasVocab, Vocabulary, against_vocabulary

__all__ = ["SEVERITIES", "Finding", "HasVocab", "Severity", "Vocabulary", "lint", "report", "template_text"]


def lint(
    format: Format, *, vocabulary: Vocabulary | HasVocab | None = None, chat_template: str | None = None
) -> list[Finding]:
    """What may be wrong with a format, errors first.

    Args:
        format: the format.
        vocabulary: the model's tokens; a tokenizer of ``tokenizers`` or ``transformers`` will do.
        chat_template: the text of the model's chat template.

    Returns:
        The findings; none of them is a promise that nothing else is wrong.
    """
    found = alone(format)
    if vocabulary is not None:
        found += against_vocabulary(format, Vocabulary.of(vocabulary))
    if chat_template is not None:
        found += against_template(format, chat_template)
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def report(found: dict[str, list[Finding]]) -> str:
    """Findings as people read them, by the name of their format."""
    rows: list[str] = []
    for name, findings in found.items():
        rows.append(name if findings else f"{name}: no findings")
        rows += [f"  {each.severity:<8} {each.where}: {each.message} [{each.code}]" for each in findings]
    counts = {kind: sum(each.severity == kind for every in found.values() for each in every) for kind in SEVERITIES}
    counted = [f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items()]
    rows.append(f"{', '.join(counted)} in {len(found)} format{'s' * (len(found) != 1)}")
    return "\n".join(rows) + "\n"
