"""The page in headless Chromium, on a scripted engine: what a person sees while an answer streams."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import unbraid
from running import running, wait_for
from unbraid.server.app import create_app
from unbraid.server.engines.scripted import ScriptedEngine

playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ANSWER = (
    "<think>\nBlue 🌌 light\nscatters more.\n</think>\n\nHere is a note 📝 <b>for you</b>.\n"
    '<tool_call>\n{"name": "write_note", "arguments": {"title": "Sky 🌤", "text": "Blue <i>scatters</i>."}}'
    "\n</tool_call>"
)

WORDS = "h2, .sub, .count, label, .legend span, #strand > span, .call-name, .call-id, .call-state, #status, #status b"
CONTRAST = """elements => elements.map(element => {
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const light = colour => rgb(colour).slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const groundOf = each => getComputedStyle(each).backgroundColor;
    let ground = element;
    while (ground && (rgb(groundOf(ground))[3] ?? 1) === 0) ground = ground.parentElement;
    const both = [light(getComputedStyle(element).color), light(groundOf(ground))];
    const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    return [element.className || element.id || element.tagName, ratio];
})"""
"""What each element is, and how far its words stand out from what is behind them."""

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="the browser tests need Chromium")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


class Opened:
    """The page, the engine behind it, and what went wrong in the browser."""

    def __init__(self, page: Any, engine: ScriptedEngine, url: str) -> None:
        self.page = page
        self.engine = engine
        self.url = url
        self.faults: list[str] = []
        self.asked: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.asked.append(request.url))

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.text_content())

    def ask(self) -> None:
        self.page.get_by_role("button", name="Ask").click()

    def until_done(self) -> None:
        self.page.get_by_text("finish reason").wait_for()


@contextmanager
def opened(
    browser: Any, script: Any = ANSWER, *, api_key: str | None = None, width: int = 1280, **how: Any
) -> Iterator[Opened]:
    engine = ScriptedEngine(script, **how)
    with running(create_app(engine, "qwen3", api_key=api_key)) as url:
        context = browser.new_context(viewport={"width": width, "height": 860}, reduced_motion="reduce")
        found = Opened(context.new_page(), engine, url)
        found.page.goto(url)
        yield found
        context.close()


def test_an_answer_comes_apart_and_every_character_is_shown(browser: Any) -> None:
    with opened(browser) as it:
        it.page.locator(".dot.up").wait_for()
        it.ask()
        it.until_done()
        assert it.text("#strand") == ANSWER
        assert it.text("#reasoning") == "Blue 🌌 light\nscatters more."
        assert it.text("#content") == "Here is a note 📝 <b>for you</b>."
        assert it.text(".call-name") == "write_note"
        assert it.text(".call-state") == "complete"
        assert '"title": "Sky 🌤"' in it.text(".call pre")
        message = unbraid.parse(ANSWER, "qwen3", tools=[{"name": "write_note"}])
        drawn = it.page.locator("#strand > span[class^=k-]").evaluate_all(
            "all => all.map(e => [e.className, e.textContent])"
        )
        expected = [[f"k-{span.kind}", ANSWER[span.start : span.end]] for span in message.spans]
        assert [each for each in drawn if each[0] != "k-held"] == expected
        assert it.text("#status").startswith("finish reason tool_calls")
        assert not it.faults
        assert all(url.startswith((it.url, "data:")) for url in it.asked)


def test_the_parts_fill_while_the_model_writes(browser: Any) -> None:
    with opened(browser, delay=0.05) as it:
        it.page.locator(".dot.up").wait_for()
        it.ask()
        wait_for(lambda: "Blue" in it.text("#reasoning"))
        assert it.page.locator(".call").count() == 0
        assert it.page.locator("#loom").get_attribute("data-active") == "reasoning"
        wait_for(lambda: it.page.locator(".call").count() == 1)
        assert it.text(".call-state") == "arriving…"
        wait_for(lambda: "Sky" in it.text(".call pre"))
        assert it.page.locator("#loom").get_attribute("data-active") == "calls"
        it.until_done()
        assert it.page.locator("#loom").get_attribute("data-active") == ""
        assert not it.faults


def test_stop_stops_the_model(browser: Any) -> None:
    with opened(browser, ["word "] * 10_000, delay=0.01) as it:
        it.page.locator(".dot.up").wait_for()
        it.ask()
        wait_for(lambda: "word" in it.text("#strand"))
        it.page.get_by_role("button", name="Stop").click()
        it.page.get_by_text("stopped by you").wait_for()
        wait_for(lambda: it.engine.active == 0, 5)
        assert it.engine.written < 10_000


def test_the_choices_reach_the_server(browser: Any) -> None:
    with opened(browser, unbraid.resolve("glm47").example) as it:
        it.page.locator(".dot.up").wait_for()
        assert it.page.get_by_label("Format").locator("option").all_text_contents() == list(unbraid.formats())
        it.page.get_by_label("Format").select_option("glm47")
        it.page.get_by_label("Tools", exact=True).select_option("=find_trains")
        it.page.get_by_label("Ask the model").fill("A train, please.")
        it.page.get_by_label("Most tokens").fill("123")
        it.ask()
        it.until_done()
        job = it.engine.jobs[-1]
        assert "A train, please." in job.prompt and "find_trains" in job.prompt and job.max_tokens == 123
        assert job.grammar is not None and "find_trains" in job.grammar and "write_note" not in job.grammar
        assert it.text("#reasoning") == "A train to Graz for two."
        it.page.get_by_label("Tools", exact=True).select_option("off")
        it.page.get_by_text("Thinking", exact=True).click()
        it.page.wait_for_timeout(500)
        it.ask()
        wait_for(lambda: len(it.engine.jobs) == 2)
        assert it.engine.jobs[-1].grammar is None and "functions" not in it.engine.jobs[-1].prompt
        it.page.get_by_text("Tools offered").click()
        assert '"content": "A train, please."' in it.page.get_by_label("The same with curl").input_value()


def test_tools_that_arent_json_are_refused_in_place(browser: Any) -> None:
    with opened(browser) as it:
        it.page.locator(".dot.up").wait_for()
        it.page.get_by_text("Tools offered").click()
        it.page.get_by_label("Tools (JSON").fill("[{")
        it.ask()
        it.page.wait_for_timeout(200)
        assert it.engine.jobs == []


def test_a_key_is_asked_for_when_the_server_wants_one(browser: Any) -> None:
    with opened(browser, api_key="right") as it:
        it.page.get_by_role("alert").get_by_text("API key is missing or wrong").wait_for()
        it.page.get_by_label("API key").fill("right")
        it.page.get_by_label("API key").press("Tab")
        it.page.locator(".dot.up").wait_for()
        assert it.page.get_by_role("alert").is_hidden()
        it.ask()
        it.until_done()
        assert it.text("#strand") == ANSWER


@pytest.mark.parametrize(
    ("how", "words"), [({"fail_at": 0}, "The engine failed."), ({"fail_at": 6}, "The engine failed.")]
)
def test_failures_are_told(browser: Any, how: dict[str, Any], words: str) -> None:
    with opened(browser, **how) as it:
        it.page.locator(".dot.up").wait_for()
        it.ask()
        it.page.get_by_role("alert").get_by_text(words).wait_for()
        assert it.page.get_by_role("button", name="Ask").is_visible()


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_it_fits_its_window(browser: Any, width: int) -> None:
    with opened(browser, width=width) as it:
        it.page.locator(".dot.up").wait_for()
        it.ask()
        it.until_done()
        assert it.page.evaluate("document.documentElement.scrollWidth") <= width
        lines = it.page.locator("#braid [d]").count()
        assert (lines > 0) == (width > 980)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(browser: Any, scheme: str) -> None:
    """WCAG AA: 4.5 to 1 for all text of the answer and its frame."""
    with opened(browser) as it:
        it.page.emulate_media(color_scheme=scheme)
        it.page.reload()
        it.page.locator(".dot.up").wait_for()
        it.ask()
        it.until_done()
        weak = [each for each in it.page.locator(WORDS).evaluate_all(CONTRAST) if each[1] < 4.5]
        assert weak == []
