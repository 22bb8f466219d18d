"""What a chat template writes for a conversation: its tree of nodes, carried out.

This is no template engine. It knows what chat templates use, takes everything else for undefined, which writes nothing,
and is bounded: so many steps, texts so long. Nothing of a template reaches Python's own evaluation, and of an object
only what is listed here is looked at, so that a template from anywhere can be looked into.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .nodes import Always, Expression, For, If, Leave, Macro, Node, NotRead, Print, Set, Text

STEPS = 200_000
"""So many nodes and expressions are carried out at most."""
LONGEST = 500_000
"""So many characters or items are put together at most."""


class Undefined:
    """What isn't there: false, empty, and it writes nothing."""

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""


UNDEFINED = Undefined()


class Namespace(dict[str, Any]):
    """What ``namespace()`` gives: attributes that can be set from inside a loop."""


class Raised(Exception):
    """The template refuses the conversation itself (``raise_exception``)."""


class _Left(Exception):
    """``break`` or ``continue``."""

    def __init__(self, ends: bool) -> None:
        self.ends = ends


def run(nodes: tuple[Node, ...], variables: Mapping[str, Any]) -> str:
    """What a template writes.

    Args:
        nodes: the template.
        variables: what it is given, as plain values.

    Raises:
        Raised: the template refuses it.
        NotRead: it takes too long, or nests too deeply.
    """
    runner = _Runner(variables)
    try:
        runner.body(nodes)
        return "".join(runner.out)
    except RecursionError:
        raise NotRead("nests too deeply") from None


class _Runner:
    """One run."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self.out: list[str] = []
        self._scopes: list[dict[str, Any]] = [dict(variables)]
        self._steps = 0
        self._written = 0

    # -- nodes

    def body(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            self._step()
            if isinstance(node, Text):
                self._write(node.text)
            elif isinstance(node, Print):
                self._write(_text(self.value(node.value)))
            elif isinstance(node, Set):
                self._set(node)
            elif isinstance(node, If):
                self._if(node)
            elif isinstance(node, For):
                self._for(node)
            elif isinstance(node, Macro):
                self._scopes[-1][node.name] = self._macro(node)
            elif isinstance(node, Leave):
                raise _Left(node.ends)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > STEPS:
            raise NotRead("takes too long to be looked into")

    def _write(self, text: str) -> None:
        self._written += len(text)
        if self._written > LONGEST:
            raise NotRead("writes too much to be looked into")
        self.out.append(text)

    def _set(self, node: Set) -> None:
        value = self.value(node.value) if node.body is None else self._captured(node.body)
        if len(node.target) == 1:
            scopes = [each for each in self._scopes if node.target[0] in each] if node.outer else []
            (scopes or self._scopes)[-1][node.target[0]] = value
            return
        holder = self._name(node.target[0])
        if isinstance(holder, Namespace):
            holder[node.target[1]] = value

    def _captured(self, nodes: tuple[Node, ...]) -> str:
        kept, self.out = self.out, []
        try:
            self.body(nodes)
            return "".join(self.out)
        finally:
            self.out = kept

    def _if(self, node: If) -> None:
        for condition, body in node.branches:
            if isinstance(condition, Always) or self.value(condition):
                self.body(body)
                return

    def _for(self, node: For) -> None:
        held = self.value(node.items)
        items: list[Any] = list(held) if isinstance(held, list | tuple | str | dict) else []
        if not isinstance(node.condition, Always):
            items = [each for each in items if self._within(node.targets, each, node.condition)]
        if not items:
            self.body(node.otherwise)
            return
        for at, item in enumerate(items):
            self._scopes.append({**_unpacked(node.targets, item), "loop": _loop(items, at)})
            try:
                self.body(node.body)
            except _Left as left:
                if left.ends:
                    return
            finally:
                self._scopes.pop()

    def _within(self, targets: tuple[str, ...], item: Any, condition: Expression) -> bool:
        self._scopes.append(_unpacked(targets, item))
        try:
            return bool(self.value(condition))
        finally:
            self._scopes.pop()

    def _macro(self, node: Macro) -> Callable[..., str]:
        def call(*given: Any, **named: Any) -> str:
            scope: dict[str, Any] = {}
            for at, (name, default) in enumerate(node.parameters):
                scope[name] = given[at] if at < len(given) else named.get(name, self.value(default))
            self._scopes.append(scope)
            try:
                return self._captured(node.body)
            finally:
                self._scopes.pop()

        return call

    # -- expressions

    def value(self, node: Expression) -> Any:
        """The value of an expression; undefined where it isn't understood."""
        self._step()
        method = _EVALUATED.get(type(node))
        try:
            return _bounded(method(self, node)) if method else UNDEFINED
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError, OverflowError):
            return UNDEFINED

    def _name(self, name: str) -> Any:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        if name.lower() in _CONSTANTS:
            return _CONSTANTS[name.lower()]
        return _FUNCTIONS.get(name, UNDEFINED)

    def _of_name(self, node: ast.Name) -> Any:
        return self._name(node.id)

    def _of_constant(self, node: ast.Constant) -> Any:
        return node.value if isinstance(node.value, str | int | float | bool | None) else UNDEFINED

    def _of_list(self, node: ast.List | ast.Tuple) -> Any:
        return [self.value(each) for each in node.elts]

    def _of_dict(self, node: ast.Dict) -> Any:
        return {self.value(k): self.value(v) for k, v in zip(node.keys, node.values, strict=True)}

    def _of_attribute(self, node: ast.Attribute) -> Any:
        return _item(self.value(node.value), node.attr)

    def _of_subscript(self, node: ast.Subscript) -> Any:
        held = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower, node.slice.upper, node.slice.step)
            return held[slice(*[None if each is None else self.value(each) for each in ends])]
        return _item(held, self.value(node.slice))

    def _of_choice(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _of_words(self, node: ast.BoolOp) -> Any:
        result: Any = UNDEFINED
        for each in node.values:
            result = self.value(each)
            if bool(result) == isinstance(node.op, ast.Or):
                return result
        return result

    def _of_sign(self, node: ast.UnaryOp) -> Any:
        held = self.value(node.operand)
        return not held if isinstance(node.op, ast.Not) else -held if isinstance(node.op, ast.USub) else held

    def _of_compare(self, node: ast.Compare) -> Any:
        left = node.left
        for sign, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(sign, ast.Is | ast.IsNot):
                holds = self._test(self.value(left), right)
                if holds is isinstance(sign, ast.IsNot):
                    return False
            elif not _COMPARED[type(sign)](self.value(left), self.value(right)):
                return False
            left = right
        return True

    def _test(self, held: Any, test: ast.expr) -> bool:
        """``held is test``; ``is not none`` is ``IsNot``, while ``is not defined`` may come as ``not defined``."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return not self._test(held, test.operand)
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
            return bool(held == self.value(test.args[0]))
        name = test.id if isinstance(test, ast.Name) else str(getattr(test, "value", "")).lower()
        return name in _TESTS and _TESTS[name](held)

    def _of_operation(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Pow):
            return self._filtered(self.value(node.left), node.right)
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Add):
            if isinstance(left, list) and isinstance(right, list):
                return left + right
            numbers = isinstance(left, int | float) and isinstance(right, int | float)
            return left + right if numbers else _text(left) + _text(right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return _formatted(left, right if isinstance(right, list) else [right])
        if isinstance(node.op, ast.Mult) and not (isinstance(left, int) and isinstance(right, int)):
            return UNDEFINED if max(_size(left), _size(right), 0) * _times(left, right) > LONGEST else left * right
        return _CALCULATED[type(node.op)](left, right)

    def _filtered(self, held: Any, filters: ast.expr) -> Any:
        """A value after a filter, or after several: ``**`` groups them from the right."""
        if isinstance(filters, ast.BinOp) and isinstance(filters.op, ast.Pow):
            return self._filtered(self._filtered(held, filters.left), filters.right)
        given: list[Any] = []
        named: dict[str, Any] = {}
        behind: list[ast.Attribute | ast.Subscript] = []
        while isinstance(filters, ast.Attribute | ast.Subscript):
            behind.append(filters)
            filters = filters.value
        if isinstance(filters, ast.Call):
            given = [self.value(each) for each in filters.args]
            named = {each.arg: self.value(each.value) for each in filters.keywords if each.arg}
            filters = filters.func
        name = filters.id if isinstance(filters, ast.Name) else ""
        return _FILTERS[name](held, *given, **named) if name in _FILTERS else held

    def _of_call(self, node: ast.Call) -> Any:
        given = [self.value(each) for each in node.args]
        named = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        if isinstance(node.func, ast.Attribute):
            held = self.value(node.func.value)
            for kind, methods in _METHODS.items():
                if isinstance(held, kind) and node.func.attr in methods:
                    return methods[node.func.attr](held, *given, **named)
        called = self.value(node.func)
        return called(*given, **named) if callable(called) else UNDEFINED


_EVALUATED: dict[type, Callable[[_Runner, Any], Any]] = {
    ast.Name: _Runner._of_name,
    ast.Constant: _Runner._of_constant,
    ast.List: _Runner._of_list,
    ast.Tuple: _Runner._of_list,
    ast.Dict: _Runner._of_dict,
    ast.Attribute: _Runner._of_attribute,
    ast.Subscript: _Runner._of_subscript,
    ast.IfExp: _Runner._of_choice,
    ast.BoolOp: _Runner._of_words,
    ast.UnaryOp: _Runner._of_sign,
    ast.Compare: _Runner._of_compare,
    ast.BinOp: _Runner._of_operation,
    ast.Call: _Runner._of_call,
}


# -- what values can do ------------------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    """A value as a template writes it. A list or an object is written as Python would, which is seldom meant."""
    if isinstance(value, str):
        return value
    return "" if isinstance(value, Undefined) or callable(value) else str(value)


def _item(held: Any, key: Any) -> Any:
    if isinstance(held, dict):
        return held.get(key, UNDEFINED)
    if isinstance(held, list | str) and isinstance(key, int):
        return held[key]
    return UNDEFINED


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | dict) else 0


def _times(left: Any, right: Any) -> int:
    return max((each for each in (left, right) if isinstance(each, int)), default=1)


def _bounded(value: Any) -> Any:
    if _size(value) > LONGEST or (isinstance(value, int) and abs(value) > 2**64):
        raise NotRead("writes too much to be looked into")
    return value


def _unpacked(targets: tuple[str, ...], item: Any) -> dict[str, Any]:
    if len(targets) == 1:
        return {targets[0]: item}
    return dict(zip(targets, item, strict=False)) if isinstance(item, list | tuple) else {}


def _loop(items: list[Any], at: int) -> dict[str, Any]:
    last = len(items) - 1
    return {
        "index": at + 1,
        "index0": at,
        "revindex": last - at + 1,
        "revindex0": last - at,
        "first": at == 0,
        "last": at == last,
        "length": len(items),
        "previtem": items[at - 1] if at else UNDEFINED,
        "nextitem": items[at + 1] if at < last else UNDEFINED,
    }


def _formatted(text: str, values: Iterable[Any]) -> str:
    for value in values:
        text = text.replace("%s", _text(value), 1)
    return text


def _json(value: Any, indent: Any = None, separators: Any = None, **_: Any) -> str:
    wide = indent if isinstance(indent, int) and 0 <= indent <= 16 else None
    return json.dumps(value, ensure_ascii=False, indent=wide, separators=separators, default=lambda _: None)


def _replaced(text: str, old: str, new: str, *_: Any) -> str:
    if (text.count(old) + 1) * (len(new) + 1) > LONGEST:
        raise NotRead("writes too much to be looked into")
    return text.replace(old, new)


def _joined(items: Any, sign: str = "", *_: Any) -> str:
    texts = [_text(each) for each in items]
    if sum(map(len, texts)) + len(sign) * len(texts) > LONGEST:
        raise NotRead("writes too much to be looked into")
    return sign.join(texts)


def _defaulted(value: Any, default: Any = "", if_false: Any = False, **named: Any) -> Any:
    if_false = if_false or named.get("boolean", False)
    return default if isinstance(value, Undefined) or (if_false and not value) else value


def _pairs(value: Any) -> list[list[Any]]:
    """What Go's ``range`` goes through: keys and values, or places and elements."""
    if isinstance(value, dict):
        return [list(each) for each in value.items()]
    return [[at, each] for at, each in enumerate(value if isinstance(value, list) else [])]


def _selected(items: Any, key: str, test: str = "", to: Any = None, *, wanted: bool = True) -> list[Any]:
    found = []
    for each in items:
        held = _item(each, key)
        holds = held == to if test in ("equalto", "eq", "==") else _TESTS[test](held) if test in _TESTS else bool(held)
        if holds is wanted:
            found.append(each)
    return found


def _mapped(items: Any, filter: Any = None, attribute: str = "", **_: Any) -> list[Any]:
    if attribute:
        return [_item(each, attribute) for each in items]
    return [_FILTERS[filter](each) for each in items] if filter in _FILTERS else list(items)


def _refuse(*said: Any) -> None:
    raise Raised(_text(said[0]) if said else "")


def _indented(text: str, width: Any = 4, first: Any = False, *_: Any, **__: Any) -> str:
    margin = " " * min(width, 32) if isinstance(width, int) else ""
    return (margin if first else "") + _replaced(text, "\n", "\n" + margin)


_CONSTANTS = {"true": True, "false": False, "none": None, "nil": None}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "namespace": lambda *given, **named: Namespace(named),
    "dict": lambda **named: named,
    "range": lambda *ends: list(range(*ends))[:LONGEST] if all(abs(end) < LONGEST for end in ends) else [],
    "raise_exception": _refuse,
    "strftime_now": lambda *_: "2026-01-01",
    "currentDate": lambda *_: "2026-01-01",
}
_TESTS: dict[str, Callable[[Any], bool]] = {
    "defined": lambda value: not isinstance(value, Undefined),
    "undefined": lambda value: isinstance(value, Undefined),
    "none": lambda value: value is None,
    "string": lambda value: isinstance(value, str),
    "mapping": lambda value: isinstance(value, dict),
    "iterable": lambda value: isinstance(value, str | list | dict),
    "sequence": lambda value: isinstance(value, str | list | dict),
    "boolean": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, float),
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "odd": lambda value: value % 2 == 1,
    "even": lambda value: value % 2 == 0,
    "callable": callable,
}
_COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: not isinstance(many, Undefined) and one in many,
    ast.NotIn: lambda one, many: isinstance(many, Undefined) or one not in many,
}
_CALCULATED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_STRINGS: dict[str, Callable[..., Any]] = {
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
    "split": str.split,
    "rsplit": str.rsplit,
    "splitlines": str.splitlines,
    "replace": _replaced,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "upper": str.upper,
    "lower": str.lower,
    "title": str.title,
    "capitalize": str.capitalize,
    "removeprefix": str.removeprefix,
    "removesuffix": str.removesuffix,
    "find": str.find,
    "count": str.count,
    "join": lambda sign, items: _joined(items, sign),
    "format": lambda text, *values: _formatted(text.replace("{}", "%s"), values),
}
_METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: _STRINGS,
    dict: {
        "items": lambda held: [list(each) for each in held.items()],
        "keys": list,
        "values": lambda held: list(held.values()),
        "get": lambda held, key, default=None: held.get(key, default),
        "update": lambda held, more: held.update(more),
    },
    list: {"append": list.append, "pop": list.pop, "index": list.index, "extend": list.extend, "insert": list.insert},
}
_FILTERS: dict[str, Callable[..., Any]] = {
    "trim": lambda value, *signs: _text(value).strip(*signs),
    "strip": lambda value: _text(value).strip(),
    "tojson": _json,
    "to_json": _json,
    "length": _size,
    "count": _size,
    "string": _text,
    "safe": lambda value: value,
    "upper": lambda value: _text(value).upper(),
    "lower": lambda value: _text(value).lower(),
    "title": lambda value: _text(value).title(),
    "capitalize": lambda value: _text(value).capitalize(),
    "replace": lambda value, old, new, *_: _replaced(_text(value), old, new),
    "format": lambda value, *values: _formatted(_text(value), values),
    "join": _joined,
    "indent": _indented,
    "default": _defaulted,
    "d": _defaulted,
    "items": lambda value: [list(each) for each in value.items()],
    "dictsort": lambda value, *_, **__: [list(each) for each in sorted(value.items())],
    "pairs": _pairs,
    "list": lambda value: list(value) if isinstance(value, str | list | dict) else [],
    "first": lambda value: value[0],
    "last": lambda value: value[-1],
    "reverse": lambda value: value[::-1],
    "unique": lambda value: list(dict.fromkeys(value)),
    "sort": lambda value, *_, **__: sorted(value),
    "selectattr": _selected,
    "rejectattr": lambda *given: _selected(*given, wanted=False),
    "map": _mapped,
    "reject": lambda items, test="", many=(): [each for each in items if test != "in" or each not in many],
    "int": int,
    "float": float,
    "abs": abs,
    "fromjson": json.loads,
    "from_json": json.loads,
}
