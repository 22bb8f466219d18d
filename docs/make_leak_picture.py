"""Draws ``docs/leak.svg`` for the README: one stream as a client reads it raw, and separated.

Run ``python docs/make_leak_picture.py`` after a change of the parser; the right half shows what it said.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import unbraid

OUTPUT = (
    "<think>\nTwo seats to Graz. I have a tool for that.\n</think>\n\n"
    "I'll look that up.\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>"
)
TOOLS = [
    {
        "name": "find_trains",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
        },
    }
]
COLOURS = {
    "reasoning": "#8250df",
    "content": "#1a7f37",
    "tool_name": "#0969da",
    "argument": "#0969da",
    "markup": "#cf222e",
}
LINE = 19


def text(x: int, y: int, words: str, fill: str, extra: str = "") -> str:
    """One piece of text."""
    return f'<text x="{x}" y="{y}" fill="{fill}" {extra} xml:space="preserve">{escape(words)}</text>'


def raw_half(message: unbraid.Message) -> list[str]:
    """The strand as it leaks, markup in red."""
    out = []
    row, column = 0, 0
    for span in message.spans:
        for number, words in enumerate(OUTPUT[span.start : span.end].split("\n")):
            if number:
                row, column = row + 1, 0
            if words:
                colour = COLOURS["markup"] if span.kind == "markup" else "#57606a"
                out.append(text(28 + round(column * 7.83), 76 + row * LINE, words, colour))
                column += len(words)
    return out


def box(y: int, title: str, lines: list[str], colour: str) -> list[str]:
    """One of the three parts."""
    height = 36 + LINE * len(lines)
    return [
        f'<rect x="484" y="{y}" width="408" height="{height}" rx="8" fill="{colour}12" stroke="{colour}55"/>',
        text(498, y + 20, title, colour, 'font-weight="600" font-family="system-ui, sans-serif" font-size="12"'),
        *[text(498, y + 42 + LINE * n, line, "#24292f") for n, line in enumerate(lines)],
    ]


def main() -> None:
    """Draw the picture."""
    message = unbraid.parse(OUTPUT, "qwen3_coder", tools=TOOLS)
    call = message.tool_calls[0]
    height = 76 + LINE * (OUTPUT.count("\n") + 1) + 6
    heading = 'font-weight="600" font-family="system-ui, sans-serif" font-size="14"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 {height}" font-size="13" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">',
        f'<rect width="920" height="{height}" rx="12" fill="#ffffff"/>',
        text(28, 40, "Before: all of it arrives as content", "#24292f", heading),
        text(484, 40, "After: three parts, each as it is written", "#24292f", heading),
        *raw_half(message),
        *box(58, "reasoning", [message.reasoning or ""], COLOURS["reasoning"]),
        *box(130, "content", [message.content or ""], COLOURS["content"]),
        *box(202, "tool call", [call.name, call.arguments], COLOURS["argument"]),
        "</svg>",
    ]
    Path(__file__).with_name("leak.svg").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
