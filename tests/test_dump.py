"""Formats as files: what is written reads back as the same format, whatever it says."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid.dump import dumps
from unbraid.format import Call, Format, Gemma, JsonCall, Nested, Params, Python, Reasoning, Signs, Tools, Turns
from unbraid.load import loads

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11) and find_spec("tomli") is None, reason="needs Python 3.11 or tomli"
)


def told(format: Format) -> dict[str, object]:
    """All that a format says."""
    return {field.name: getattr(format, field.name) for field in fields(Format) if field.init}


@pytest.mark.parametrize("name", sorted(unbraid.formats()))
def test_every_shipped_format_comes_back(name: str) -> None:
    format = unbraid.resolve(name)
    assert told(loads(dumps(format), "it.toml")) == told(format)


CODECS = [
    JsonCall(name=("tool", "name"), keyed=True, others=()),
    JsonCall(others=("id",), array="always"),
    Python(),
    Python("lines"),
]
NAMED = [
    Params("<p={key}>", "</p>", types=(("str", "string"), ("obj", "json")), entities=True),
    Nested("ns:", "each"),
    Gemma('<|"|>'),
]
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
SPELLED = st.sampled_from(["<a>", "\n<a>\n", ("<a>", "<A>"), ("\n\n<a>", 'it\'s "b"')])


@given(
    source=PLAIN,
    example=PLAIN,
    aliases=st.lists(PLAIN, max_size=3),
    signs=st.lists(
        st.lists(PLAIN, min_size=1, max_size=12).map(lambda texts: Signs(template=tuple(texts))), max_size=2
    ),
    open=SPELLED,
    codec=st.sampled_from(CODECS),
    named=st.sampled_from(NAMED),
    several=st.booleans(),
    opened_by=st.sampled_from(["model", "prompt"]),
)
def test_any_format_comes_back(source, example, aliases, signs, open, codec, named, several, opened_by) -> None:
    one = Tools(Call(open, "</a>", codec))
    other = Tools((Call("<n {name}>", "</n>", named),), open="<s>", close="</s>", between="noise")
    format = Format(
        name="mine",
        turns=Turns("\n<|a|>\n", others=("<|u|>",)),
        reasoning=Reasoning("<t>", "</t>", opened_by=opened_by, toggle=("think",)),
        tools=(one, other) if several else one,
        source=source,
        example=example,
        aliases=tuple(aliases),
        signs=tuple(signs),
    )
    assert told(loads(dumps(format, comment=source), "it.toml")) == told(format)


def test_what_has_its_default_is_left_out_and_texts_are_written_as_people_do() -> None:
    format = Format(
        name="mine",
        turns=Turns("<|a|>\n"),
        tools=Tools(Call("<call>", None, JsonCall(name=('the "name"',)))),
        example='<call>{"the "name"": "a\\b"}\nand a line that makes it long enough to be worth several, """ and all"',
    )
    assert dumps(format, comment="One.\n\nTwo.") == (
        "# One.\n#\n# Two.\n\n"
        'name = "mine"\n'
        'example = """\n'
        '<call>{"the "name"": "a\\\\b"}\n'
        'and a line that makes it long enough to be worth several, ""\\" and all\\""""\n'
        "\n"
        "[turns]\n"
        'assistant = "<|a|>\\n"\n'
        "\n"
        "[tools]\n"
        "\n"
        "[tools.call]\n"
        'open = "<call>"\n'
        "\n"
        "[tools.call.arguments]\n"
        'codec = "json_call"\n'
        "name = ['the \"name\"']\n"
    )


def test_a_codec_without_a_word_of_its_own_is_its_name() -> None:
    format = unbraid.resolve("qwen3")
    assert 'arguments = "json_call"\n' in dumps(replace(format, signs=()))
