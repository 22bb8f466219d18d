"""unbraid: a language model's one strand of tokens, separated into reasoning, content and tool calls.

``parse`` takes a whole output, ``Parser`` takes it as it streams; both give the same message. See ``docs/design.md``.
"""

from typing import TYPE_CHECKING, Any

from .detect import Candidate, Detected, Evidence, detect
from .dump import dumps
from .events import (
    Content,
    Event,
    Finish,
    Note,
    Reasoning,
    ReasoningEnd,
    ReasoningStart,
    Span,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from .format import Format, FormatError
from .load import load
from .message import Message, Segment, ToolCall
from .options import OptionError
from .parser import Parser, parse
from .registry import FormatWarning, formats, resolve

if TYPE_CHECKING:
    from .derivation import derive
    from .tokens.vocabulary import Vocabulary

__version__ = "0.1.0"

__all__ = [
    "Candidate",
    "Content",
    "Detected",
    "Event",
    "Evidence",
    "Finish",
    "Format",
    "FormatError",
    "FormatWarning",
    "Message",
    "Note",
    "OptionError",
    "Parser",
    "Reasoning",
    "ReasoningEnd",
    "ReasoningStart",
    "Segment",
    "Span",
    "ToolCall",
    "ToolCallArguments",
    "ToolCallEnd",
    "ToolCallStart",
    "Vocabulary",
    "__version__",
    "derive",
    "detect",
    "dumps",
    "formats",
    "load",
    "parse",
    "resolve",
]


def __getattr__(name: str) -> Any:
    """``derive`` and ``Vocabulary``, which many programs never need, and which take a while to import."""
    if name == "derive":
        from .derivation import derive

        return derive
    if name == "Vocabulary":
        from .tokens.vocabulary import Vocabulary

        return Vocabulary
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
