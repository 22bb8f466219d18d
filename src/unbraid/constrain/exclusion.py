"""Text that doesn't hold any of a set of words, as rules: GBNF can't say "not", so an automaton says it.

The automaton is that of Aho and Corasick: each state stands for the longest beginning of a word that the
text ends in just now. Its rule has one alternative for every character that leads on to a longer beginning,
one for all that lead back to the start, and none for those that would finish a word. The rules are right-
recursive: one stack, no ambiguity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..format import FormatError
from . import charset as cs
from .charset import Charset
from .rules import Rules, quote, sequence


class Exclusion:
    """The automaton of a set of words that a text must not hold."""

    def __init__(self, words: Iterable[str]) -> None:
        every = set(words)
        self.words = tuple(sorted(w for w in every if not any(o != w and o in w for o in every)))
        """The words that matter: one that holds another is kept out with it."""
        if any(not word for word in self.words):
            raise FormatError("no text is free of the empty marker")
        self._states, self._steps = _automaton(self.words)

    @property
    def firsts(self) -> Charset:
        """The characters that begin a word. A text without them can't hold one."""
        return cs.of({word[0] for word in self.words})

    def holds(self, text: str) -> str | None:
        """A word that the text holds, if any."""
        return next((word for word in self.words if word in text), None)

    def cuts(self, before: Sequence[str]) -> frozenset[int]:
        """The states in which text may not end, because what comes next would finish another word."""
        return frozenset(
            state
            for state, prefix in enumerate(self._states)
            if any(self._finishes(prefix, following) for following in before)
        )

    def write(
        self,
        rules: Rules,
        name: str,
        *,
        characters: Charset = cs.EVERY,
        escape: str = "",
        before: Sequence[str] = (),
    ) -> list[str]:
        """Adds the rules; returns their names. The first is the rule of such a text, which may be empty.

        Args:
            rules: where they go.
            name: what they are called.
            characters: the characters that a text may hold as they are.
            escape: an expression that may stand in place of a character, after which no word has begun.
            before: what may come next.
        """
        cuts = self.cuts(before)
        names = [rules.reserve(name) for _ in self._states]
        for state in range(len(names)):
            options = ["", *self._options(state, names, characters, escape)]
            rules.set(names[state], " | ".join(options[state in cuts :]).lstrip() or '""')
        return names

    def begun(self, rules: Rules, name: str, names: list[str], first: Charset) -> str:
        """A text that isn't empty and begins with one of these characters; ``names`` is what ``write`` returned."""
        return rules.add(name, " | ".join(self._options(0, names, first, "")))

    def _options(self, state: int, names: list[str], characters: Charset, escape: str) -> list[str]:
        """What may come next in a state, and where each leads."""
        through: dict[int, list[str]] = {}
        for character, after in self._steps[state].items():
            if after is not None and cs.has(characters, character):
                through.setdefault(after, []).append(character)
        options = []
        rest = cs.without(characters, cs.of(self._steps[state]))
        if rest:
            options.append(sequence(cs.write(rest), names[0]))
        for after, by in through.items():
            options.append(sequence(quote(by[0]) if len(by) == 1 else cs.write(cs.of(by)), names[after]))
        if escape:
            options.append(sequence(escape, names[0]))
        return options

    def _finishes(self, prefix: str, following: str) -> bool:
        """Whether a word that began in the text ends in what follows."""
        joined = prefix + following
        return any(0 <= joined.find(word) < len(prefix) for word in self.words)


@lru_cache(maxsize=256)
def _automaton(words: tuple[str, ...]) -> tuple[list[str], list[dict[str, int | None]]]:
    """The states as the beginnings of words that they stand for, and where each character leads from each.

    Characters that lead back to the start are left out; ``None`` is where one would finish a word.
    """
    states = sorted({word[:end] for word in words for end in range(len(word))} | {""}, key=lambda p: (len(p), p))
    numbers = {prefix: number for number, prefix in enumerate(states)}
    steps: list[dict[str, int | None]] = []
    for prefix in states:
        # The longest beginning of a word that this one ends in, itself aside, comes before it in the list.
        shorter = next((numbers[prefix[cut:]] for cut in range(1, len(prefix) + 1) if prefix[cut:] in numbers), None)
        step = {} if shorter is None else dict(steps[shorter])
        for word in words:
            if word.startswith(prefix):
                character = word[len(prefix)]
                if step.get(character, 0) is not None:
                    step[character] = numbers.get(word[: len(prefix) + 1])
        steps.append(dict(sorted(step.items())))
    return states, steps


def other_than(rules: Rules, name: str, words: set[str], letters: cs.Charset, least: int = 0) -> str:
    """A text of these letters that is none of the words."""
    firsts: dict[str, set[str]] = {}
    for word in words:
        if word:
            firsts.setdefault(word[0], set()).add(word[1:])
    options = [] if "" in words or least else [""]
    rest = cs.without(letters, cs.of(firsts))
    if rest:
        options.append(f"{cs.write(rest)} {cs.write(letters)}*")
    options += [
        sequence(quote(first), other_than(rules, name, rests, letters))
        for first, rests in sorted(firsts.items())
        if cs.has(letters, first)
    ]
    return rules.add(name, " | ".join(options).lstrip())
