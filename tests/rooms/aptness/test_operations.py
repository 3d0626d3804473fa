"""The operations of the room reply what its verbs print, and refuse what they refuse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime
import pytest

from aptone.cli.main import main
from aptone.ear.network import inference
from aptone.errors import AptoneError, AudioError, RecordError, UsageError
from aptone.messages import Message, translate
from aptone.rooms.aptness.operations import OPERATIONS
from aptone.rooms.aptness.takes.rank import rank_lines
from aptone.rooms.operation import Answer, ClipFile, OperationSettings
from aptone.types import Sample, State, from_json
from tests.tables import for_each

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "lighthouse"
CLIPS = EXAMPLE / "clips"
STORY = (EXAMPLE / "story.en.txt").read_text(encoding="utf-8")
LINE = "Stay where you are. We will not come tonight."
PLAN = {"emotion": "calm", "recording_condition": "phone"}

Ask = Callable[..., Answer]


def clip(name: str) -> ClipFile:
    return ClipFile(name, (CLIPS / name).read_bytes())


@pytest.fixture(scope="module")
def ask() -> Ask:
    """Ask an operation that is prepared once."""
    operations = {one.name: one for one in OPERATIONS}
    prepared = {name: one.make(OperationSettings()) for name, one in operations.items()}

    def answer(name: str, *, figures: bool = False, **given: object) -> Answer:
        return prepared[name](operations[name].read(given), figures=figures)

    return answer


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    """The JSON that a verb prints."""
    monkeypatch.setenv("APTONE_CACHE", str(tmp_path / "replies.sqlite"))

    def run(*arguments: object) -> Any:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments), "--json"])
        assert ended.value.code in (0, 1)
        return json.loads(capsys.readouterr().out)

    return run


def as_json(answer: Answer) -> Any:
    return json.loads(json.dumps(answer.reply))


@pytest.mark.slow
def test_a_score_is_what_the_command_line_prints(ask: Ask, printed: Callable[..., Any]) -> None:
    path = CLIPS / "keeper-apt.opus"
    answer = ask("score", audio=clip("keeper-apt.opus"), line=LINE, story=STORY.replace("\n", "\r\n"))
    assert as_json(answer) == printed("score", path, "--story", EXAMPLE / "story.en.txt", "--line", LINE)
    with_plan = ask("score", audio=clip("keeper-apt.opus"), line=LINE, plan=PLAN, lang="zh", role="Keeper")
    options = ("--plan", json.dumps(PLAN), "--lang", "zh", "--role", "Keeper")
    assert as_json(with_plan) == printed("score", path, "--line", LINE, *options)
    assert with_plan.reply["plan"]["emotion"] == "calm"  # type: ignore[index,call-overload]
    assert answer.audio_seconds == pytest.approx(answer.entries[0].outcome.evidence["perception"]["seconds"])  # type: ignore[index,call-overload]


def test_the_entry_of_a_score_names_the_recording_by_its_hash(ask: Ask) -> None:
    sent = clip("keeper-apt.opus")
    around = {"context": ["It rained.", "The phone rang."], "following": ["She hung up."]}
    (entry,) = ask("score", audio=sent, line=LINE, **around).entries
    sample = from_json(Sample, entry.item.payload)
    assert sample.audio == sent.ref
    assert [line.text for line in sample.context] == ["It rained.", "The phone rang."]
    assert [line.text for line in sample.following] == ["She hung up."]
    assert entry.outcome.state is State.DONE
    assert entry.seconds > 0
    assert entry.finished


def test_a_line_alone_is_scored_with_a_note_that_can_be_translated(ask: Ask) -> None:
    notes = ask("score", audio=clip("keeper-apt.opus"), line=LINE).reply["notes"]
    assert isinstance(notes, tuple)
    assert isinstance(notes[-1], Message)
    assert translate(notes[-1], "zh").startswith("只读了这一句台词")


@pytest.mark.slow
def test_a_ranking_is_what_the_command_line_prints(ask: Ask, printed: Callable[..., Any]) -> None:
    names = [f"keeper-{reading}.opus" for reading in ("wrong", "apt", "flat")]
    answer = ask("rank", clips=[clip(name) for name in names], line=LINE, story=STORY, min_lead=0.2, figures=True)
    paths = [CLIPS / name for name in names]
    options = ("--line", LINE, "--min-lead", "0.2")
    assert as_json(answer) == printed("rank", EXAMPLE / "story.en.txt", *paths, *options)
    assert sorted(entry.item.id for entry in answer.entries) == sorted(names)
    (figure,) = answer.figures
    assert "keeper-apt.opus" in figure.markup
    assert "data:" not in figure.markup


@pytest.mark.slow
def test_takes_of_one_name_are_told_apart_and_one_that_cannot_be_read_comes_last(ask: Ask) -> None:
    good = clip("keeper-apt.opus")
    answer = ask("rank", clips=[ClipFile(good.name, b"noise"), good, good], line=LINE, plan=PLAN)
    takes = as_json(answer)["takes"]
    assert [take["take"] for take in takes] == ["2 keeper-apt.opus", "3 keeper-apt.opus", "keeper-apt.opus"]
    assert [take["rank"] for take in takes] == [1, 1, None]
    assert takes[-1]["reason"].startswith("keeper-apt.opus: ")
    assert answer.audio_seconds == pytest.approx(2 * good.read(rate=16_000, max_seconds=60).seconds)


@pytest.mark.slow
def test_takes_of_two_requests_are_not_ranked_together_and_keep_the_lead_that_was_asked_for(ask: Ask) -> None:
    entries = []
    for request, lead in (("one", 0.0), ("two", 4.5)):
        for entry in ask(
            "rank", clips=[clip("keeper-apt.opus"), clip("keeper-flat.opus")], line=LINE, plan=PLAN, min_lead=lead
        ).entries:
            payload = {**entry.item.payload, "id": f"{request} {entry.item.id}"}
            ids = payload["ids"]
            assert isinstance(ids, dict)
            payload["ids"] = {**ids, "request": request}
            item = type(entry.item).make(f"{request} {entry.item.id}", payload, position=entry.item.position)
            entries.append(type(entry)(item, entry.outcome))
    first, second = rank_lines(entries, source="kept")
    assert (len(first.best), len(second.best)) == (1, 2)
    assert {take.id for take in first.ranking.takes} == {"keeper-apt.opus", "keeper-flat.opus"}


def test_a_plan_is_what_the_command_line_prints(ask: Ask, printed: Callable[..., Any]) -> None:
    answer = ask("plan", story=STORY, line=LINE, role="Keeper")
    told = printed("plan", EXAMPLE / "story.en.txt", "--line", LINE, "--role", "Keeper", "--no-cache")
    assert {**as_json(answer), "seconds": 0} == {**told, "seconds": 0}
    (entry,) = answer.entries
    assert entry.outcome.main_score == "confidence"
    assert 0.0 < entry.outcome.scores["confidence"].value <= 1.0
    assert "audio" not in entry.item.payload


@for_each(
    ("given", "kind", "words"),
    [
        ({"line": "Nobody says this."}, UsageError, r"story: no line holds 'Nobody says this\.'"),
        ({"line": "the"}, UsageError, r"lines hold 'the'; .* \(occurrence, from 1 to"),
        ({"line": "the", "occurrence": 999}, UsageError, "lines hold 'the'"),
        ({"story": "“Stay.”\n“Stay.”", "line": "Stay."}, UsageError, r"2 lines hold 'Stay\.'"),
        ({"story": "a\0b", "line": "a"}, RecordError, "NUL characters"),
        ({"plan": {"mood": "sad"}}, RecordError, "plan: unknown field 'mood' in the plan"),
        ({"plan": {"rhythm": "waltz"}}, RecordError, "plan: 'waltz' is not a known rhythm"),
        ({"plan": {"emotion": 7}}, RecordError, "plan: the fields of a plan are text"),
        ({"plan": {"schema": "aptone.Plan/1", "emotion": []}}, RecordError, "Plan.emotion"),
        (
            {"story": "Er zitterte vor Angst und sagte ganz leise zu ihr:\n„Bleib bitte hier.“", "line": "Bleib bitte"},
            AptoneError,
            "is written in German, and the built-in planner reads English",
        ),
    ],
)
def test_what_the_command_line_refuses_is_refused_with_the_same_words(
    ask: Ask, given: dict[str, object], kind: type[Exception], words: str
) -> None:
    for name, recordings in (
        ("score", {"audio": clip("keeper-apt.opus")}),
        ("rank", {"clips": [clip("keeper-apt.opus")]}),
    ):
        with pytest.raises(kind, match=words) as refused:
            ask(name, **{"line": LINE, "story": STORY, **given}, **recordings)
        assert isinstance(str(refused.value), Message)
        assert translate(str(refused.value), "zh") != str(refused.value)


def test_a_line_is_counted_in_a_story_and_a_story_has_no_lines_before_it(ask: Ask) -> None:
    with pytest.raises(UsageError, match="occurrence counts lines of a story"):
        ask("score", audio=clip("keeper-apt.opus"), line=LINE, occurrence=1)
    with pytest.raises(UsageError, match="not both"):
        ask("score", audio=clip("keeper-apt.opus"), line=LINE, story=STORY, context=["It rained."])


def test_a_recording_that_is_no_line_is_refused(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AudioError, match=r"x\.wav: "):
        ask("score", audio=ClipFile("x.wav", b"<html>"), line=LINE)
    with monkeypatch.context() as small:
        small.setattr("aptone.rooms.operation.MOST_DECODED", 100)
        with pytest.raises(AudioError, match="more than 100 samples to decode"):
            ask("score", audio=clip("keeper-apt.opus"), line=LINE)
    monkeypatch.setattr("aptone.rooms.aptness.operations.LONGEST_LINE", 0.5)
    with pytest.raises(AudioError, match=r"keeper-apt\.opus: the clip is longer than 0\.5 s"):
        ask("score", audio=clip("keeper-apt.opus"), line=LINE)


def test_texts_that_no_file_could_hold_are_answered_all_the_same(ask: Ask) -> None:
    for text in ("\ud800 Stay.", "Stay\u202e.", "<b>Stay.</b>", "Stay. " * 300):
        answer = ask("score", audio=clip("keeper-apt.opus"), line=text, plan=PLAN, role="\udfff{name}")
        assert answer.entries[0].outcome.state is State.DONE


@pytest.mark.slow
def test_weights_are_loaded_once_for_all_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[object] = []
    session = onnxruntime.InferenceSession

    def counted(*arguments: Any, **options: Any) -> Any:
        loaded.append(arguments)
        return session(*arguments, **options)

    monkeypatch.setattr(onnxruntime, "InferenceSession", counted)
    inference.load_network.cache_clear()
    operations = {one.name: one for one in OPERATIONS}
    prepared = {name: one.make(OperationSettings()) for name, one in operations.items()}

    def ask_all() -> None:
        for name, recordings in (
            ("score", {"audio": clip("keeper-apt.opus")}),
            ("rank", {"clips": [clip("keeper-apt.opus"), clip("keeper-flat.opus")]}),
            ("plan", {}),
        ):
            for lang in (None, "en", "zh"):
                given = {"line": LINE, "story": STORY, **recordings}
                chosen = {} if name == "plan" else {"lang": lang}
                prepared[name](operations[name].read({**given, **chosen}))

    ask_all()
    first = len(loaded)
    assert first > 0, "the ear was loaded"
    ask_all()
    assert len(loaded) == first


def test_the_configuration_names_what_scores_depend_on(ask: Ask) -> None:
    for operation in OPERATIONS:
        config = operation.make(OperationSettings(ear="permissive")).config
        assert (config.verb, config.engine) == (operation.name, "built-in")
        assert "planner:built-in" in str(config.settings["planner"])
        assert operation.name == "plan" or "ear:permissive" in str(config.settings["judge"])
        assert config.version
