"""Text that doesn't hold any of a set of words, as rules: GBNF can't say "not", so an automaton says it.

The automaton is that of Aho and Corasick: each state stands for the longest beginning of a word that the
text ends in just now. Its rule has one alternative for every character that leads on to a longer beginning,
one for all that lead back to the start, and none for those that would finish a word. The rules are right-
recursive: one stack, no ambiguity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
        prefixes = {word[:end] for word in self.words for end in range(len(word))} or {""}
        self._states = sorted(prefixes, key=lambda prefix: (len(prefix), prefix))
        self._numbers = {prefix: number for number, prefix in enumerate(self._states)}
        self._alphabet = {character for word in self.words for character in word}

    @property
    def firsts(self) -> Charset:
        """The characters that begin a word. A text without them can't hold one."""
        return cs.of({word[0] for word in self.words})

    def holds(self, text: str) -> str | None:
        """A word that the text holds, if any."""
        return next((word for word in self.words if word in text), None)

    def cuts(self, before: Sequence[str]) -> frozenset[str]:
        """Beginnings of words in which text may not end: what comes next would finish another word."""
        return frozenset(
            prefix for prefix in self._states if not all(self._may_end(prefix, each) for each in before)
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
        for number, prefix in enumerate(self._states):
            options = ["", *self._options(prefix, names, characters, escape)]
            rules.set(names[number], " | ".join(options[prefix in cuts :]).lstrip() or '""')
        return names

    def begun(self, rules: Rules, name: str, names: list[str], first: Charset) -> str:
        """A text, not empty, that begins with one of these characters; ``names`` is what ``write`` gave."""
        return rules.add(name, " | ".join(self._options("", names, first, "")))

    def _options(self, prefix: str, names: list[str], characters: Charset, escape: str) -> list[str]:
        """What may come after this beginning of a word, and where each leads."""
        leads: dict[str, list[str]] = {}
        taken = []
        for character in sorted(self._alphabet):
            if not cs.has(characters, character):
                continue
            after = self._after(prefix + character)
            if after != "":
                taken.append(character)
            if after:
                leads.setdefault(after, []).append(character)
        options = []
        rest = cs.without(characters, cs.of(taken))
        if rest:
            options.append(sequence(cs.write(rest), names[0]))
        for after, through in leads.items():
            step = quote(through[0]) if len(through) == 1 else cs.write(cs.of(through))
            options.append(sequence(step, names[self._numbers[after]]))
        if escape:
            options.append(sequence(escape, names[0]))
        return options

    def _after(self, text: str) -> str | None:
        """The longest beginning of a word in which the text ends; ``None`` if it ends in a word."""
        if any(text.endswith(word) for word in self.words):
            return None
        return next(text[start:] for start in range(len(text) + 1) if text[start:] in self._numbers)

    def _may_end(self, prefix: str, following: str) -> bool:
        """Whether text that ends in this beginning of a word may be followed by this."""
        for end in range(1, len(following) + 1):
            text = prefix + following[:end]
            if any(text.endswith(word) and len(word) > end for word in self.words):
                return False
        return True


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
