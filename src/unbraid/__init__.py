"""unbraid: a language model's one strand of tokens, separated into reasoning, content and tool calls.

``parse`` takes a whole output, ``Parser`` takes it as it streams; both give the same message. See ``docs/design.md``.
"""

from .derive import derive
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
    "__version__",
    "derive",
    "detect",
    "dumps",
    "formats",
    "load",
    "parse",
    "resolve",
]
