"""A format as a grammar for constrained decoding, so that a model can only write what the parser reads.

``grammar`` gives llama.cpp's dialect (GBNF). This package holds the walk from a format to a grammar and
what it needs to write one: character sets, exclusion automata, JSON schemas, number ranges, regular
expressions. It samples nothing and loads no engine.
"""

from .gbnf import ReasoningMode, SchemaToGbnf, ToolChoice, grammar, unwritable

__all__ = ["ReasoningMode", "SchemaToGbnf", "ToolChoice", "grammar", "unwritable"]
