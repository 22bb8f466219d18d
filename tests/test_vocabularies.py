"""Parsers that are fed with ids of several tokenizers: DeepSeek's, Mistral's, SmolLM2's, and one that has the special
tokens of every format. Mixtures of text and ids, forged markers, any ids at all, and what a vocabulary is asked.

What is particular to Qwen's tokenizer, and options of the id side, are tested in ``test_tokens``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unbraid
from idtools import Step, assert_account, assert_tokens_tile, mixed, one_by_one, read, told
from strategies import noise
from unbraid import Vocabulary
from unbraid.format import Format, Spelling, frames, shapes, spellings
from unbraid.literals import spelled as written_out
from vocabularies import FORMATS, Real, folder, real, special_tokens
from writers import SILENT, WRITERS
from writing import Said

NAMES = [pytest.param(name, marks=pytest.mark.server) if name == "smollm2" else name for name in FORMATS]
CASES = [
    pytest.param(name, format, marks=[pytest.mark.server] if name == "smollm2" else [], id=f"{name}-{format}")
    for name, formats in FORMATS.items()
    for format in formats
    if name != "qwen"  # test_tokens
]


def example(name: str) -> str:
    return unbraid.resolve(name).example


# -- the same by ids as by text ----------------------------------------------------------------------------------


@cache
def fed(name: str, format: str) -> tuple[list[int], list[str], unbraid.Message]:
    """A format's example as ids, with its prefixes, and what it says as text."""
    tokenizer = real(name)
    text = example(format)
    ids = tokenizer.ids(text)
    return ids, tokenizer.prefixes(ids), unbraid.parse(text, format, thinking=True, new_call_id=lambda: "id")


def assert_says_the_same(name: str, format: str, steps: list[Step]) -> None:
    ids, prefixes, whole = fed(name, format)
    message = read(real(name), format, steps, thinking=True)
    assert told(message) == told(whole)
    assert message.spans == whole.spans
    assert_account(message, prefixes)
    assert len(prefixes) == len(ids) + 1


@pytest.mark.parametrize("together", [False, True], ids=["ids alone", "text and ids"])
@pytest.mark.parametrize(("name", "format"), CASES)
def test_an_example_by_ids_says_what_its_text_says(name: str, format: str, together: bool) -> None:
    ids, _, _ = fed(name, format)
    assert_says_the_same(name, format, one_by_one(real(name), ids, together))
    assert_says_the_same(name, format, [(example(format) if together else None, ids)])


@pytest.mark.parametrize(("name", "format"), CASES)
@settings(max_examples=25)
@given(data=st.data())
def test_every_mixture_says_what_the_text_says(name: str, format: str, data: st.DataObject) -> None:
    ids, prefixes, _ = fed(name, format)
    assert_says_the_same(name, format, mixed(data, real(name), ids, prefixes))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=100)
@given(data=st.data())
def test_a_format_of_other_tokens_says_what_the_text_says(name: str, data: st.DataObject) -> None:
    """A tokenizer that has only some of a format's special tokens, or none."""
    format = data.draw(st.sampled_from(sorted(unbraid.formats())))
    ids, prefixes, _ = fed(name, format)
    assert_says_the_same(name, format, mixed(data, real(name), ids, prefixes))


@pytest.mark.parametrize(("name", "format"), CASES)
def test_special_tokens_may_be_missing_from_the_text(name: str, format: str) -> None:
    ids, prefixes, whole = fed(name, format)
    special = set(real(name).special.values())
    pieces = [after[len(before) :] for before, after in pairwise(prefixes)]
    steps: list[Step] = [("" if id in special else text, [id]) for id, text in zip(ids, pieces, strict=True)]
    message = read(real(name), format, steps, thinking=True)
    assert told(message)[:3] == told(whole)[:3]
    assert_tokens_tile(message, len(ids))


@pytest.mark.parametrize(("name", "format"), CASES)
def test_a_prompt_of_ids_says_what_its_text_says(name: str, format: str) -> None:
    tokenizer = real(name)
    for writer in WRITERS[format]:
        for said in (Said("so", "the answer"), Said(None, "the answer")):
            written = writer.write(said)
            steps: list[Step] = [(None, tokenizer.ids(written.text))]
            by_text = read(tokenizer, format, steps, prompt=written.prompt)
            assert told(read(tokenizer, format, steps, prompt=tokenizer.ids(written.prompt))) == told(by_text)


# -- forging -----------------------------------------------------------------------------------------------------


def guards(spelling: Spelling | None, tokens: list[str]) -> bool:
    """Whether a marker, in each of its spellings, needs a special token."""
    literals = [each for literal in spellings(spelling) for each in written_out(literal)]
    return bool(literals) and all(any(token in literal for token in tokens) for literal in literals)


def guards_calls(format: Format, tokens: list[str]) -> bool:
    """Whether nobody can begin a call with ordinary tokens."""
    return all(
        guards(tools.open, tokens) or all(guards(call.open, tokens) for call in shapes(tools))
        for tools in frames(format)
    )


def guards_all(format: Format, tokens: list[str]) -> bool:
    """Whether no marker that ends reasoning or content, or is left out of them, can be spelled."""
    pairs = [each for each in (format.reasoning, format.answer, *format.asides) if each is not None]
    edges: list[Spelling | None] = [edge for pair in pairs for edge in (pair.open, pair.close)]
    edges += [tools.open for tools in frames(format) if tools.open is not None]
    return guards_calls(format, tokens) and all(guards(edge, tokens) for edge in (*edges, *format.turns.ends))


def safe(name: str, format: str) -> bool:
    """Whether anything can be told apart in this format with this tokenizer."""
    tokens = list(special_tokens()) if name == "trained" else list(real(name).special)
    # A word alone isn't taken for a special token: it would stand in every text.
    return guards_calls(unbraid.resolve(format), [each for each in tokens if not re.fullmatch(r"\w+", each)])


FORGED = [
    pytest.param(name, format, marks=[pytest.mark.server] if name == "smollm2" else [], id=f"{name}-{format}")
    for name, formats in FORMATS.items()
    for format in formats
    if name != "trained" or safe(name, format)
]


def surrounded(tokenizer: Real, format: str, echo: str) -> tuple[list[int], str]:
    """Real reasoning and a real answer that consist of a spelled echo, as the format writes them, and the prompt."""
    said = Said(None if format in SILENT else "QUITE SO", "THE ANSWER")
    written = WRITERS[format][0].write(said)
    ids: list[int] = []
    for part in re.split("(QUITE SO|THE ANSWER)", written.text):
        ids += tokenizer.spelled(echo) if part in ("QUITE SO", "THE ANSWER") else tokenizer.ids(part)
    return ids, written.prompt


def assert_is_text(name: str, format: str, echo: str, *, together: bool, all: bool) -> None:
    """The echo makes no call, and where ``all`` markers are guarded, it stands in reasoning and content as it is."""
    tokenizer = real(name)
    ids, prompt = surrounded(tokenizer, format, echo)
    steps = one_by_one(tokenizer, ids, together)
    message = read(tokenizer, format, steps, prompt=prompt, thinking=format not in SILENT, spelled_markers="text")
    assert not message.tool_calls
    assert not message.incomplete_calls
    if all:
        assert message.content == echo
        assert message.reasoning == (None if format in SILENT else echo)
    assert_tokens_tile(message, len(ids))


@pytest.mark.parametrize("before", ["it says: ", ""], ids=["amid", "first"])
@pytest.mark.parametrize(("name", "format"), FORGED)
def test_spelled_markup_is_text(name: str, format: str, before: str) -> None:
    """The format's own, and that of all formats at once, amid words and as the first thing that is said."""
    if not safe(name, format):
        pytest.skip("nothing can be told apart: its calls begin without a special token")
    all = guards_all(unbraid.resolve(format), list(real(name).special))
    others = [example(each) for each in unbraid.formats()]
    assert_is_text(name, format, f"{before}{example(format)} so", together=True, all=all)
    assert_is_text(name, format, f"{before}{' '.join(others)} so", together=False, all=all)


@pytest.mark.parametrize(("name", "format"), FORGED)
@settings(max_examples=10)
@given(data=st.data())
def test_spelled_near_markup_is_text(name: str, format: str, data: st.DataObject) -> None:
    """Broken messages, and parts of markers in any order, of this format and of others."""
    if not safe(name, format):
        pytest.skip("nothing can be told apart: its calls begin without a special token")
    other = unbraid.resolve(data.draw(st.sampled_from([format, *unbraid.formats()])))
    echo = f"so {data.draw(noise(other))} so"
    all = guards_all(unbraid.resolve(format), list(real(name).special))
    assert_is_text(name, format, echo, together=data.draw(st.booleans()), all=all)


@pytest.mark.parametrize(("name", "format"), CASES)
def test_spelled_special_tokens_are_text(name: str, format: str) -> None:
    """Also in formats whose other markers anyone can spell."""
    tokenizer = real(name)
    tokens = Vocabulary.of(tokenizer.tokenizer).marking(unbraid.resolve(format)).tokens
    assert_is_text(name, format, f"so {' '.join(tokens)} so", together=True, all=True)


# -- any ids -----------------------------------------------------------------------------------------------------


def any_ids(name: str, format: str) -> st.SearchStrategy[list[int]]:
    """Ids that there are and that there aren't, the format's special tokens, and pieces of its example."""
    tokenizer = real(name)
    ids, _, _ = fed(name, format)
    special = sorted(Vocabulary.of(tokenizer.tokenizer).marking(unbraid.resolve(format)).special) or [0]
    one = st.one_of(
        st.integers(0, tokenizer.size - 1),
        st.sampled_from([*range(tokenizer.size, tokenizer.size + 3), 2**31, 2**32, 2**40]),
        st.sampled_from(special),
    ).map(lambda id: [id])
    some = st.tuples(st.integers(0, len(ids)), st.integers(1, 12)).map(lambda at: ids[at[0] : at[0] + at[1]])
    return st.lists(st.one_of(one, some), max_size=20).map(lambda groups: [id for group in groups for id in group])


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(data=st.data())
def test_any_ids_are_taken(name: str, data: st.DataObject) -> None:
    format = data.draw(st.sampled_from(FORMATS[name]))
    ids = data.draw(any_ids(name, format))
    tokenizer = real(name)
    alone = read(tokenizer, format, one_by_one(tokenizer, ids, together=False), thinking=True)
    assert_tokens_tile(alone, len(ids))
    whole = read(tokenizer, format, [(None, ids)], thinking=True)
    assert told(whole) == told(alone)
    assert whole.token_spans == alone.token_spans


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(data=st.data())
def test_any_ids_and_any_text_are_taken(name: str, data: st.DataObject) -> None:
    """Also where the two have nothing to do with each other."""
    format = data.draw(st.sampled_from(FORMATS[name]))
    ids = data.draw(any_ids(name, format))
    text = data.draw(st.one_of(noise(unbraid.resolve(format)), st.text(max_size=40)))
    steps: list[Step] = []
    while ids or text:
        step, characters = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 20))
        steps.append((data.draw(st.sampled_from([None, text[:characters]])), ids[:step]))
        ids = ids[step:]
        text = text[characters:] if step or characters else ""
    message = read(real(name), format, steps, thinking=True)
    assert_tokens_tile(message, sum(len(ids or ()) for _, ids in steps))


# -- what a vocabulary is asked ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens_have_their_ids_and_texts(name: str) -> None:
    tokenizer = real(name)
    vocabulary = Vocabulary(tokenizer.tokenizer)
    assert vocabulary.added == {id: token for token, id in tokenizer.special.items()}
    for token, id in tokenizer.special.items():
        assert vocabulary.id_of(token) == id
    assert vocabulary.id_of("<no such token>") is None


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens_are_decoded(name: str) -> None:
    tokenizer = real(name)
    vocabulary = Vocabulary(tokenizer.tokenizer)
    wrong = [
        token
        for token, id in tokenizer.special.items()
        if (vocabulary.decode([id]), vocabulary.piece(id)) != (token, token)
    ]
    assert not wrong


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(text=st.text(max_size=60))
def test_text_is_decoded(name: str, text: str) -> None:
    tokenizer = real(name)
    vocabulary = Vocabulary.of(tokenizer.tokenizer)
    ids = tokenizer.spelled(text)
    assume(tokenizer.text(ids) == text)  # SmolLM2 lacks bytes that no character of a living language has
    assert vocabulary.decode(ids) == vocabulary.piece(*ids) == text
    parser = unbraid.Parser("qwen3", tokenizer=tokenizer.tokenizer, thinking=False)
    events = [event for id in ids for event in parser.feed(ids=[id])] + parser.finish()
    assert "".join(event.text for event in events if isinstance(event, unbraid.Content)) == text


@pytest.mark.parametrize("name", NAMES)
def test_an_id_that_there_is_not_is_a_replacement_character(name: str) -> None:
    assert Vocabulary.of(real(name).tokenizer).decode([2**40]) == "\ufffd"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_one_in_the_middle_of_a_text_too(name: str) -> None:
    tokenizer = real(name)
    assert Vocabulary.of(tokenizer.tokenizer).piece(2**40) == "\ufffd"


def test_a_tokenizer_that_writes_prompts_holds_one() -> None:
    tekken = real("tekken")
    writer = import_module("mistral_common.tokens.tokenizers.mistral").MistralTokenizer
    vocabulary = Vocabulary(writer.from_file(str(folder("mistral_common") / "data" / "tekken_240911.json")))
    assert vocabulary.id_of("[TOOL_CALLS]") == tekken.special["[TOOL_CALLS]"]
    assert vocabulary.piece(*tekken.ids("x[TOOL_CALLS]y")) == "x[TOOL_CALLS]y"


RARE = "\U0001304c"
"""A hieroglyph, which no tokenizer has a token for."""
ODD = f"a🙂b 👩🏽‍🚀漢é\u0301{RARE}<think"


@pytest.mark.parametrize("together", [False, True], ids=["ids alone", "text and ids"])
@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_character_are_said_once_and_whole(name: str, together: bool) -> None:
    tokenizer = real(name)
    ids = tokenizer.spelled(ODD)
    assert len(ids) > len(set(tokenizer.prefixes(ids))) - 1, "some of these tokens are only part of a character"
    format = FORMATS[name][0]
    said: list[str] = []
    parser = unbraid.Parser(format, tokenizer=tokenizer.tokenizer, thinking=False)
    for text, step in one_by_one(tokenizer, ids, together):
        said += [event.text for event in parser.feed(text, step) if isinstance(event, unbraid.Content)]
        assert ODD.startswith("".join(said))
    said += [event.text for event in parser.finish() if isinstance(event, unbraid.Content)]
    assert "".join(said) == ODD
    assert_account(parser.message, tokenizer.prefixes(ids))


@pytest.mark.parametrize("name", NAMES)
def test_a_marker_between_parts_of_a_character(name: str) -> None:
    """A real special token is one, whatever bytes are missing before it."""
    format = FORMATS[name][0]
    tokenizer = real(name)
    end = unbraid.resolve(format).turns.ends[0].strip()
    ids = [*tokenizer.spelled("x"), tokenizer.spelled(RARE)[0], *tokenizer.ids(end)]
    assert len(tokenizer.spelled(RARE)) > 1
    message = read(tokenizer, format, [(None, [id]) for id in ids], thinking=False)
    assert message.content == "x\ufffd"
    assert_tokens_tile(message, len(ids))
