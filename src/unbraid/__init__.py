"""unbraid: a language model's one strand of tokens, separated into reasoning, content and tool calls.

``parse`` takes a whole output, ``Parser`` takes it as it streams; both give the same message. See ``docs/design.md``.
"""

from importlib import import_module
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
    from .tokens.aligned import Aligned, Alignment
    from .tokens.reasoning import ReasoningQuestions, ReasoningTracker
    from .tokens.vocabulary import Vocabulary

__version__ = "0.1.0"

__all__ = [
    "Aligned",
    "Alignment",
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
    "ReasoningQuestions",
    "ReasoningStart",
    "ReasoningTracker",
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


_LATE = {
    "Aligned": ".tokens.aligned",
    "Alignment": ".tokens.aligned",
    "ReasoningQuestions": ".tokens.reasoning",
    "ReasoningTracker": ".tokens.reasoning",
    "Vocabulary": ".tokens.vocabulary",
    "derive": ".derivation",
}
"""What many programs never need, and what takes a while to import."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name], __name__), name)
