"""Which formats there are: the shipped ones are data, those of installed packages can't break them."""

from __future__ import annotations

import ast
import csv
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import unbraid
from unbraid import registry
from unbraid.cli import main

DATA = Path(__file__).parent / "data"
SOURCE = """
from unbraid.format import Format, Turns
def format(name, *aliases):
    return Format(name=name, turns=Turns("<|a|>"), aliases=aliases)
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes a package with a module of that code and entry points into it look installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    registry._installed.cache_clear()

    def installed(code: str, *points: str, name: str = "unbraid-mine", module: str = "mine_formats") -> None:
        (tmp_path / f"{module}.py").write_text(SOURCE + code)
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[unbraid.formats]", *points]))

    yield installed
    registry._installed.cache_clear()
    for module in set(sys.modules) - before:
        if not module.startswith("unbraid."):  # those are cached elsewhere, too
            del sys.modules[module]


def test_files_in_the_folder_of_formats_hold_no_code() -> None:
    """Data and docstrings: no function, no class, no loop, no branch, not even a comprehension."""
    files = list((Path(unbraid.__file__).parent / "formats").rglob("*.py"))
    assert len(files) > 10
    code = (
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
        *(ast.For, ast.While, ast.If, ast.IfExp, ast.Try, ast.With),
        *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    )
    for file in files:
        found = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, code)]
        assert not found, f"{file}:{found[0].lineno} is code"


def test_formats_stays_a_function() -> None:
    """The folder has the same name; importing a module in it mustn't bind that name anew."""
    code = (
        "import unbraid.formats.qwen3, unbraid; unbraid.resolve('glm47'); import unbraid.formats.glm47;"
        "print(len(unbraid.formats()))"
    )
    env = {"PYTHONPATH": str(Path(unbraid.__file__).parent.parent)}
    printed = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert int(printed.stdout) >= len(registry._names())


def test_shipped_names_need_no_look_at_packages(install: Install) -> None:
    install("raise SystemError('loaded')", "mine = mine_formats:FORMAT")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert unbraid.resolve("qwen3").name == "qwen3"
        assert unbraid.resolve("qwen3-xml").name == "qwen3_coder"
        assert unbraid.Parser("glm45")
    assert "mine_formats" not in sys.modules


def test_a_format_of_an_installed_package(install: Install) -> None:
    install('FORMAT = format("mine", "my_model")', "mine = mine_formats:FORMAT")
    mine = unbraid.resolve("mine")
    assert mine.name == "mine"
    assert unbraid.resolve("my_model") is unbraid.resolve("My-Model") is unbraid.formats()["mine"] is mine
    assert list(unbraid.formats()) == sorted(unbraid.formats())
    assert registry.origin(mine) == ("mine_formats", "unbraid-mine 1.0")
    assert unbraid.parse("hello", "mine").content == "hello"


def test_one_entry_point_may_load_to_several(install: Install) -> None:
    install('FORMATS = (format("mine_a"), format("mine_b"))', "all = mine_formats:FORMATS")
    assert {"mine_a", "mine_b"} <= set(unbraid.formats())


def test_where_a_format_comes_from() -> None:
    assert registry.origin(unbraid.resolve("qwen3_xml")) == ("unbraid.formats.qwen3_coder", None)
    own = unbraid.Format(name="qwen3", turns=unbraid.resolve("qwen3").turns)
    assert registry.origin(own) is None


BROKEN = {
    "raises": ("1 / 0", "can't be loaded: ZeroDivisionError: division by zero; the other formats work"),
    "impossible": ('FORMAT = format("Bad Name")', "can't be loaded: FormatError: the name 'Bad Name'"),
    "missing": ("", "can't be loaded: AttributeError: .*FORMAT"),
    "no format": ("FORMAT = {}", "must load to a Format or a tuple of them, not dict"),
}


@pytest.mark.parametrize(("code", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_package_is_warned_of_once_and_breaks_nothing(install: Install, code: str, said: str) -> None:
    install(code, "mine = mine_formats:FORMAT")
    install('FORMAT = format("other")', "other = other_formats:FORMAT", name="unbraid-other", module="other_formats")
    with pytest.warns(unbraid.FormatWarning, match=rf"'mine' of unbraid-mine 1\.0 .*{said}"):
        listed = unbraid.formats()
    assert {"qwen3", "other"} <= set(listed)
    assert "mine" not in listed
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(unbraid.FormatError, match=r"'mine' of unbraid-mine 1\.0"):
            unbraid.resolve("mine")
        with pytest.raises(unbraid.FormatError, match="there is no format 'minx'"):
            unbraid.resolve("minx")


def test_damaged_metadata_breaks_nothing(monkeypatch: pytest.MonkeyPatch, install: Install) -> None:
    def damaged(**_: object) -> None:
        raise TypeError("no = here")

    monkeypatch.setattr("importlib.metadata.entry_points", damaged)
    with pytest.warns(unbraid.FormatWarning, match="can't be looked up: TypeError: no = here"):
        assert "qwen3" in unbraid.formats()


CLASHES = {
    "name": ('format("qwen3")', "the format 'qwen3' of unbraid-mine 1.0 isn't used: the shipped format 'qwen3'"),
    "name and alias": ('format("hermes")', "the format 'hermes' of unbraid-mine 1.0 isn't used: the shipped format"),
    "alias": ('format("mine", "qwen3")', r"the alias 'qwen3' of 'mine' \(unbraid-mine 1.0\) isn't used: the shipped"),
    "twice": ('(format("mine"), format("mine"))', "isn't used: the format 'mine' of unbraid-mine 1.0 has that name"),
}


@pytest.mark.parametrize(("code", "said"), CLASHES.values(), ids=CLASHES)
def test_a_shipped_name_wins(install: Install, code: str, said: str) -> None:
    before = {name: unbraid.resolve(name) for name in ("qwen3", "hermes")}
    install(f"FORMAT = {code}", "mine = mine_formats:FORMAT")
    with pytest.warns(unbraid.FormatWarning, match=said):
        listed = unbraid.formats()
    assert {name: unbraid.resolve(name) for name in before} == before
    assert listed["qwen3"] is before["qwen3"]


def test_the_list_says_where_a_format_comes_from(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install('"""Mine: what it is."""\nFORMAT = format("mine")', "mine = mine_formats:FORMAT", "bad = mine_formats:BAD")
    assert main(["formats"]) == 0
    printed = capsys.readouterr()
    assert "mine\n  From the installed package unbraid-mine 1.0.\n" in printed.out
    assert printed.out.count("From the installed package") == 1
    assert printed.err.startswith("unbraid: warning: the format 'bad' of unbraid-mine 1.0 can't be loaded")
    assert printed.err.count("\n") == 1
    main(["formats", "--json"])
    whose = {each["name"]: each["distribution"] for each in json.loads(capsys.readouterr().out)}
    assert (whose["mine"], whose["qwen3"]) == ("unbraid-mine 1.0", "unbraid")


# ------------------------------------------------------------ the names that engines use

ENGINE_NAMES = [
    (row["engine"], name, row["format"])
    for row in csv.DictReader((DATA / "engine_names.tsv").read_text(encoding="utf-8").splitlines(), delimiter="\t")
    for name in row["names"].split()
]
"""The parser names of vLLM 0.32, SGLang 0.5.22 and Ollama, as their command lines and configurations take them."""


@pytest.mark.parametrize(("engine", "name", "format"), ENGINE_NAMES)
def test_an_engines_parser_name_is_a_formats_name(engine: str, name: str, format: str) -> None:
    assert unbraid.resolve(name).name == format
