"""Records find what draws them, show themselves whatever that does, and print as they always did."""

import math
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aptone.messages import LANGUAGE_VARIABLE
from aptone.registry import Registry
from aptone.types import Displayed, Entry, Estimate, Item, Outcome, Perception, Plan, Score, State, TrustCard
from aptone.types.display import LONGEST_TEXT, brief
from tests.tables import for_each

Strategies = Mapping[type[Any], st.SearchStrategy[Any]]
FAILED = "The display of this "
OURS = (Entry, Estimate, Outcome, Perception, Plan, Score, TrustCard)


@dataclass(frozen=True, slots=True)
class Pulse(Displayed):
    """A record of a plugin."""

    beats: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class RestingPulse(Pulse):
    """A record that derives from it."""


class Unprintable:
    """What cannot be printed."""

    def __repr__(self) -> str:
        raise RuntimeError("not me")


@dataclass(frozen=True, slots=True)
class Odd(Displayed):
    """A record that nothing draws, and with a field that cannot be printed."""

    thing: Unprintable = field(default_factory=Unprintable)


def show_pulse(pulse: Pulse, *, language: str) -> str:
    return f"<b>{pulse.beats:g} {language}</b>"


def show_nothing(pulse: Pulse, *, language: str) -> None:
    return None


def show_surrogate(pulse: Pulse, *, language: str) -> str:
    return "half of a \ud83d"


def fail(pulse: Pulse, *, language: str) -> str:
    raise RuntimeError("<script>alert(1)</script>\n\u202ebackwards" + "!" * 1000)


def show_without_language(pulse: Pulse) -> str:
    return ""


@contextmanager
def installed(monkeypatch: pytest.MonkeyPatch, function: str) -> Iterator[None]:
    """A plugin that brings the display of a pulse."""
    point = EntryPoint("Pulse", f"{__name__}:{function}", "aptone.displays")

    def find(*, group: str) -> EntryPoints:
        return EntryPoints([*entry_points(group=group), *([point] if group == point.group else [])])

    with monkeypatch.context() as patched:
        patched.setattr("aptone.registry.entry_points", find)
        patched.setattr(EntryPoint, "load", lambda self: globals()[function] if self is point else _load(self))
        yield


_load = EntryPoint.load


def test_every_display_that_is_registered_draws_a_record_of_that_name() -> None:
    displays = Registry("displays", object)
    assert {kind.__name__ for kind in OURS} < set(displays)
    assert all(callable(displays.load(name)) for name in displays)


def test_a_plugin_draws_its_own_record_and_what_derives_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with installed(monkeypatch, "show_pulse"):
        assert Pulse(72)._repr_html_() == "<b>72 en</b>"
        assert RestingPulse(50)._repr_html_() == "<b>50 en</b>"
        assert Score(3.0)._repr_html_().startswith('<div class="aptone-display ')


@for_each(("variable", "language"), [("zh", "zh"), ("en", "en"), ("", "en"), ("fr", "en")])
def test_the_language_is_that_of_the_environment(variable: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LANGUAGE_VARIABLE, variable)
    with installed(monkeypatch, "show_pulse"):
        assert Pulse(1)._repr_html_() == f"<b>1 {language}</b>"


@for_each(
    ("function", "why"),
    [
        ("fail", "RuntimeError: &lt;script&gt;alert(1)&lt;/script&gt; ⟨U+202E⟩backwards!!!"),
        ("show_nothing", "TypeError: expected HTML as text, got NoneType"),
        ("show_surrogate", "UnicodeEncodeError: "),
        ("show_without_language", "UsageError: display &#x27;Pulse&#x27; has no option &#x27;language&#x27;"),
        ("no_such_function", "RegistryError: displays &#x27;Pulse&#x27; of an unknown package cannot be loaded"),
    ],
)
def test_a_display_that_fails_leaves_the_record_as_text_with_the_error_on_one_line(
    function: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(monkeypatch, function):
        shown = Pulse(72, "<i>\x1b[2J\ud83d")._repr_html_()
    error, text = shown.removeprefix('<div class="aptone-display"><p>').split("</p><pre>")
    assert error.startswith(f"{FAILED}Pulse failed ({why}")
    assert len(error) < 700
    assert "\n" not in error
    assert text == "Pulse(beats=72, note=&#x27;&lt;i&gt;\\x1b[2J\\ud83d&#x27;)</pre></div>"
    shown.encode()


def test_a_record_that_nothing_draws_is_text_whatever_its_fields_do() -> None:
    shown = Odd()._repr_html_()
    assert "no displays are named &#x27;Odd&#x27;" in shown
    assert "<pre>Odd(thing=&lt;Unprintable instance at 0x" in shown


def test_an_interrupt_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(kind: type[object]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aptone.types.display._display_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Score(1.0)._repr_html_()


def test_a_record_stays_a_record() -> None:
    score = Score(3.0, range=(0.0, 5.0), spread=0.5)
    assert repr(score).startswith("Score(value=3.0, range=(0.0, 5.0), unit='', ")
    assert not hasattr(score, "__dict__")
    assert pickle.loads(pickle.dumps(score)) == score
    assert [one.name for one in fields(Estimate)][:2] == ["value", "low"]


class Printer:
    """Takes what IPython's printer is given."""

    def __init__(self) -> None:
        self.said = ""

    def text(self, text: str) -> None:
        self.said += text


def test_what_is_printed_beside_the_html_is_the_repr_with_what_is_long_left_out() -> None:
    short, long, within = Printer(), Printer(), Printer()
    plan = Plan("joy", emotions={"happy": 0.75, "calm": 0.25}, voice=("whisper",))
    plan._repr_pretty_(short, cycle=False)
    assert short.said == repr(plan)
    outcome = Outcome(
        State.DONE, {f"score {number}": Score(1.0) for number in range(50)}, rationale="because " * 100_000
    )
    outcome._repr_pretty_(long, cycle=False)
    assert len(long.said) <= LONGEST_TEXT
    assert long.said.startswith("Outcome(state=<State.DONE: 'done'>, scores={'score 0': Score(value=1.0, ")
    outcome._repr_pretty_(within, cycle=True)
    assert within.said == "..."


def test_the_text_of_a_deep_record_is_bounded() -> None:
    deep: Any = "core"
    for _ in range(200):
        deep = {"within": [deep] * 20}
    shown = brief(Entry(Item("a", {"deep": deep}, ""), Outcome.failed("why")))
    assert shown.startswith("Entry(item=Item(id='a', payload={'deep': {'within': [")
    assert len(shown) <= LONGEST_TEXT


@pytest.mark.slow
@for_each("kind", OURS, ids=lambda kind: kind.__name__)
@settings(max_examples=25, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_record_is_drawn(kind: type[Any], strategies: Strategies, data: st.DataObject) -> None:
    shown = data.draw(strategies[kind])._repr_html_()
    assert FAILED not in shown
    shown.encode()


def test_a_perception_that_lasts_for_ever_is_drawn_without_its_time() -> None:
    events = Perception(1e300, events=())._repr_html_()
    assert FAILED not in events
    assert "<svg" not in Perception(math.nan)._repr_html_()
