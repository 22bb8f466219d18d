"""A small interpreter of GBNF for the tests: does a grammar accept a text, and which texts does it allow?

It reads the dialect as llama.cpp does and works as llama.cpp does, with a set of stacks that move on one character at a
time, so that its verdict is that of the sampler. It knows nothing of unbraid.
"""

from __future__ import annotations

import random
import re
from typing import Any, Union

Ranges = tuple[tuple[int, int], ...]
Terminal = tuple[bool, Ranges]
"""Whether the class is negated, and its ranges."""
Element = Union[str, Terminal]
"""The name of a rule, or a terminal."""
Stack = Union[tuple[int, int, Any], None]
"""An alternative by number, a place in it, and the stack under it; ``None``: all is done."""

_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([trn\\\"\[\]]))")
_NAME = re.compile(r"[A-Za-z0-9-]+")
_MANY = 2000
"""llama.cpp refuses more repetitions, and takes a higher upper bound for none at all."""
POOL = "abcxyz019 <>/|{}[]\"\\':,.-_=\n\t\u00e9\u6f22\U0001f600e"
"""Characters that random texts are made of, where the grammar allows them."""


class GrammarError(ValueError):
    """The grammar isn't one, as far as llama.cpp is concerned."""


class Judge:
    """A grammar that is ready to judge texts."""

    def __init__(self, grammar: str) -> None:
        self.alternatives: list[tuple[Element, ...]] = []
        self.rules: dict[str, list[int]] = {}
        _Reader(grammar, self).read()
        self._check()
        self._shortest = self._shortest_texts()
        self._matches: dict[tuple[Terminal, str], bool] = {}
        self._allowed: dict[Terminal, str] = {}

    # -- judging ---------------------------------------------------------------------------------------------------

    def start(self) -> set[Stack]:
        """The stacks before the first character."""
        found: set[Stack] = set()
        for each in self.rules["root"]:
            self._expand((each, 0, None), found)
        return found

    def step(self, stacks: set[Stack], character: str) -> set[Stack]:
        """The stacks after one more character."""
        found: set[Stack] = set()
        for stack in stacks:
            if stack is not None and self._fits(self._terminal(stack), character):
                number, place, below = stack
                self._expand((number, place + 1, below), found)
        return found

    def accepts(self, text: str) -> bool:
        """Whether the text is one that the grammar allows as a whole."""
        return None in self._after(text)

    def begins(self, text: str) -> bool:
        """Whether some allowed text begins like this."""
        return bool(self._after(text))

    def refused_at(self, text: str) -> int | None:
        """The offset of the first character that isn't allowed; ``None`` if all are."""
        stacks = self.start()
        for at, character in enumerate(text):
            stacks = self.step(stacks, character)
            if not stacks:
                return at
        return None

    def walk(self, choice: random.Random, budget: int) -> str:
        """A random allowed text: at random for so many characters, then the shortest way out."""
        text: list[str] = []
        stacks = self.start()
        while True:
            done = None in stacks
            if done and (len(text) >= budget or choice.random() < 0.05 or len(stacks) == 1):
                return "".join(text)
            open_stacks = [stack for stack in stacks if stack is not None]
            if len(text) < budget:
                terminals = sorted({self._terminal(stack) for stack in open_stacks})
                terminal = choice.choice(terminals)
            else:
                terminal = min((self._to_end(stack), self._terminal(stack)) for stack in open_stacks)[1]
            character = self._some(terminal, choice)
            text.append(character)
            stacks = self.step(stacks, character)

    def _after(self, text: str) -> set[Stack]:
        stacks = self.start()
        for character in text:
            stacks = self.step(stacks, character)
        return stacks

    def _terminal(self, stack: Any) -> Terminal:
        element = self.alternatives[stack[0]][stack[1]]
        assert not isinstance(element, str)
        return element

    def _expand(self, stack: Stack, found: set[Stack], seen: set[Stack] | None = None) -> None:
        seen = set() if seen is None else seen
        pending = [stack]
        while pending:
            top = pending.pop()
            if top in seen:
                continue
            seen.add(top)
            if top is None:
                found.add(None)
                continue
            number, place, below = top
            elements = self.alternatives[number]
            if place == len(elements):
                pending.append(below)
            elif isinstance(elements[place], str):
                under = (number, place + 1, below) if place + 1 < len(elements) else below
                pending.extend((each, 0, under) for each in self.rules[elements[place]])
            else:
                found.add(top)

    def _fits(self, terminal: Terminal, character: str) -> bool:
        known = self._matches.get((terminal, character))
        if known is None:
            negated, ranges = terminal
            inside = any(low <= ord(character) <= high for low, high in ranges)
            known = self._matches[terminal, character] = inside != negated
        return known

    def _some(self, terminal: Terminal, choice: random.Random) -> str:
        allowed = self._allowed.get(terminal)
        if allowed is None:
            allowed = "".join(character for character in POOL if self._fits(terminal, character))
            self._allowed[terminal] = allowed
        if allowed:
            return choice.choice(allowed)
        low, high = choice.choice(terminal[1])
        return chr(choice.randint(low, high))

    # -- about the grammar -----------------------------------------------------------------------------------------

    def _check(self) -> None:
        for elements in self.alternatives:
            for element in elements:
                if isinstance(element, str) and element not in self.rules:
                    raise GrammarError(f"undefined rule {element!r}")
        empty: set[str] = set()
        grown = True
        while grown:
            grown = False
            for name, numbers in self.rules.items():
                if name not in empty and any(set(self.alternatives[each]) <= empty for each in numbers):
                    empty.add(name)
                    grown = True
        state: dict[str, int] = {}
        for name in self.rules:
            self._refuse_left_recursion(name, empty, state)

    def _refuse_left_recursion(self, name: str, empty: set[str], state: dict[str, int]) -> None:
        if state.get(name) == 2:
            return
        if state.get(name) == 1:
            raise GrammarError(f"left recursion through {name!r}")
        state[name] = 1
        for number in self.rules[name]:
            for element in self.alternatives[number]:
                if isinstance(element, str):
                    self._refuse_left_recursion(element, empty, state)
                if element not in empty:
                    break
        state[name] = 2

    def _shortest_texts(self) -> dict[str, int]:
        """How many characters each rule takes at least."""
        shortest: dict[str, int] = {}
        grown = True
        while grown:
            grown = False
            for name, numbers in self.rules.items():
                for number in numbers:
                    lengths = [shortest.get(e) if isinstance(e, str) else 1 for e in self.alternatives[number]]
                    if None in lengths:
                        continue
                    length = sum(each for each in lengths if each is not None)
                    if length < shortest.get(name, length + 1):
                        shortest[name] = length
                        grown = True
        endless = set(self.rules) - set(shortest)
        if endless:
            raise GrammarError(f"rules without an end: {sorted(endless)}")
        return shortest

    def _to_end(self, stack: Stack) -> int:
        length = 0
        while stack is not None:
            number, place, stack = stack
            rest = self.alternatives[number][place:]
            length += sum(self._shortest[each] if isinstance(each, str) else 1 for each in rest)
        return length


class _Reader:
    """Reads a grammar from left to right."""

    def __init__(self, grammar: str, judge: Judge) -> None:
        self.text = grammar
        self.judge = judge
        self.at = 0

    def read(self) -> None:
        self._space(True)
        while self.at < len(self.text):
            name = self._name()
            self._space(False)
            if not self.text.startswith("::=", self.at):
                raise self._error("expected ::=")
            self.at += 3
            self._space(True)
            if name in self.judge.rules:
                raise self._error(f"a second rule {name!r}")
            self._alternatives(name, False)
            if self.at < len(self.text) and self.text[self.at] not in "\r\n":
                raise self._error("expected the end of the line")
            self._space(True)
        if "root" not in self.judge.rules:
            raise GrammarError("no root")

    def _alternatives(self, name: str, nested: bool) -> None:
        found = [self._sequence(name, nested)]
        while self._peek() == "|":
            self.at += 1
            self._space(True)
            found.append(self._sequence(name, nested))
        self._define(name, found)

    def _define(self, name: str, alternatives: list[list[Element]]) -> None:
        numbers = self.judge.rules.setdefault(name, [])
        for elements in alternatives:
            numbers.append(len(self.judge.alternatives))
            self.judge.alternatives.append(tuple(elements))

    def _sequence(self, name: str, nested: bool) -> list[Element]:
        done: list[Element] = []
        last: list[Element] = []
        while True:
            character = self._peek()
            if character == '"':
                done, last = [*done, *last], self._literal()
            elif character == "[":
                done, last = [*done, *last], [self._class()]
            elif character == "(":
                self.at += 1
                self._space(True)
                inner = self._fresh(name)
                self._alternatives(inner, True)
                if self._peek() != ")":
                    raise self._error("expected )")
                self.at += 1
                done, last = [*done, *last], [inner]
            elif character and _NAME.match(character):
                done, last = [*done, *last], [self._name()]
            elif character and character in "*+?{":
                if not last:
                    raise self._error("nothing to repeat")
                least, most = self._bounds()
                last = self._repeated(name, last, least, most)
            else:
                return [*done, *last]
            self._space(nested)

    def _bounds(self) -> tuple[int, int | None]:
        character = self._peek()
        self.at += 1
        if character != "{":
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        found = re.compile(r"([0-9]+)(,?)([0-9]*)\}").match(self.text, self.at)
        if found is None:
            raise self._error("a repetition that can't be read")
        self.at = found.end()
        least = int(found[1])
        most = int(found[3]) if found[3] else None if found[2] else least
        if max(least, most or 0) >= _MANY:
            raise self._error("more repetitions than llama.cpp takes")
        return least, most

    def _repeated(self, name: str, item: list[Element], least: int, most: int | None) -> list[Element]:
        found = item * least
        if most is None:
            rest = self._fresh(name)
            self._define(rest, [[*item, rest], []])
            return [*found, rest]
        after: str | None = None
        for _ in range(most - least):
            rest = self._fresh(name)
            self._define(rest, [[*item, after] if after else [*item], []])
            after = rest
        return [*found, after] if after else found

    def _literal(self) -> list[Element]:
        self.at += 1
        found: list[Element] = []
        while self._peek() != '"':
            code = self._character()
            found.append((False, ((code, code),)))
        self.at += 1
        return found

    def _class(self) -> Terminal:
        self.at += 1
        negated = self._peek() == "^"
        self.at += negated
        ranges: list[tuple[int, int]] = []
        while self._peek() != "]":
            low = high = self._character()
            if self._peek() == "-" and self.text[self.at + 1] != "]":
                self.at += 1
                high = self._character()
            ranges.append((low, high))
        self.at += 1
        if not ranges:
            raise self._error("an empty class")
        return negated, tuple(ranges)

    def _character(self) -> int:
        if self._peek() == "\\":
            found = _ESCAPE.match(self.text, self.at)
            if found is None:
                raise self._error("unknown escape")
            self.at = found.end()
            digits = found[1] or found[2] or found[3]
            return int(digits, 16) if digits else ord({"t": "\t", "r": "\r", "n": "\n"}.get(found[4], found[4]))
        if not self._peek():
            raise self._error("unexpected end")
        self.at += 1
        return ord(self.text[self.at - 1])

    def _name(self) -> str:
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self._error("expected a name")
        self.at = found.end()
        return found[0]

    def _fresh(self, name: str) -> str:
        fresh = f"{name}_{len(self.judge.alternatives)}_{self.at}_{len(self.judge.rules)}"
        self.judge.rules[fresh] = []
        return fresh

    def _space(self, lines: bool) -> None:
        found = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*" if lines else r"(?:[ \t]|#[^\r\n]*)*").match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _error(self, what: str) -> GrammarError:
        return GrammarError(f"{what} at {self.text[self.at : self.at + 40]!r}")
