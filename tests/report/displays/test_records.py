"""Each record shows what it holds."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.messages import LANGUAGE_VARIABLE, message
from aptone.report.displays.outcome import LONGEST_CLIP
from aptone.report.displays.run import MOST_WORST
from aptone.run import Run, RunConfig, RunFolder, load_run, write_trust
from aptone.run.compare import Comparison
from aptone.types import (
    AudioRef,
    Displayed,
    Entry,
    Estimate,
    Intonation,
    Item,
    Outcome,
    Perception,
    Plan,
    Probe,
    ProbeState,
    Rhythm,
    Score,
    State,
    TrustCard,
    Vote,
    to_json,
)
from tests.report.displays.parsed_html import parse

Records = dict[str, Displayed]


def test_a_score_has_its_scale_its_band_and_its_spread(records: Records) -> None:
    shown = parse(records["Score"])
    assert shown.words == "2.26 ± 0.3 / 5 middle judge:test"
    assert [held["class"] for held in shown.having("mark")] == ["mark middle"]
    assert parse(records["undefined"]).words == "– no voiced frames"


def test_an_estimate_has_its_interval_and_its_count(records: Records) -> None:
    assert parse(records["Estimate"]).words == "0.71 [0.6, 0.8] 40 items 95 % · fisher-z"
    assert parse(Estimate(math.nan, reason="one item")).words == "– one item"


def test_a_perception_has_its_phrase_bars_and_a_drawing_over_time(records: Records) -> None:
    shown = parse(records["Perception"])
    assert "clearly angry, with a trace of disgust 4.0 s · 80 % speech · female 98 %" in shown.words
    fills = shown.having("fill")
    assert [held["width"] for held in fills[:4]] == ["78.0", "12.0", "5.0", "3.0"]  # per cent of the bar
    assert [held["x"] for held in fills[4:6]] == ["19.0", "50.0"]  # valence -0.62: from 0.19 to the middle
    assert len(shown.having("timeline")) == 2  # wide and narrow
    assert {"valence", "arousal", "dominance", "loudness"} <= {
        name for held in shown.having("curve") for name in str(held["class"]).split()
    }
    assert "Waveform" not in shown.text
    assert shown.count("details") == 1
    assert shown.words.index("Everything that was heard") < shown.words.index("semitones above 100 Hz")


def test_a_perception_without_anything_over_time_has_no_drawing(records: Records) -> None:
    assert "svg" not in {tag for tag, _ in parse(records["silent"]).elements}
    assert "No emotion was judged: no speech found" in parse(records["silent"]).words


def test_the_sounds_of_a_plan_are_named_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan("happy", sounds=("laughter", "sighing"))
    assert "laughter, sighing" in parse(plan).words
    monkeypatch.setenv(LANGUAGE_VARIABLE, "zh")
    assert "笑声、" in parse(plan).words


def test_the_bars_of_a_plan_are_its_probabilities_and_that_nothing_is_said(records: Records) -> None:
    shown = parse(records["Plan"])
    # said with 0.8: 0.75 · 0.8, 0.2 · 0.8, 0.05 · 0.8; unsaid 0.2
    assert [held["width"] for held in shown.having("fill")] == ["60.0", "16.0", "4.0", "20.0"]
    for words in ("Intensity strong", "Rhythm tense", "Intonation falling", "Recording condition phone", "Voice shout"):
        assert words in shown.words
    assert "The storm had stood over the island 2 lines before fear" in shown.words


def test_a_plan_that_leaves_the_emotion_open_says_how_to_go_on(records: Records) -> None:
    assert "the story does not say (80 %)" in parse(records["open"]).words
    assert len(parse(records["open"]).having("absent")) == 1


def test_a_plan_that_was_voted_on_says_how_sure_the_vote_was() -> None:
    votes = [Vote(window, "calm", Rhythm.RELAXED, Intonation.FLAT) for window in (1, 2, 3)]
    other = replace(votes[0], window=4, emotion="sad")
    plan = Plan("calm", Rhythm.RELAXED, Intonation.FLAT, "normal", votes=(*votes, other), windows=4)
    assert "75 % of the votes are for this plan, entropy 0.81 bits; 4 of 4 windows were asked." in parse(plan).words


def test_an_outcome_has_score_rationale_and_a_row_for_each_aspect(records: Records) -> None:
    shown = parse(records["Outcome"])
    assert "0.5 / 5 low aptness" in shown.words
    assert "Rationale 1: the pause before the last word is missing." in shown.words
    assert "Aspect Planned Heard Fit Emotion joy" in shown.words
    assert "Raw reply" in shown.words
    assert shown.count("audio") == 0


def test_an_outcome_without_a_score_says_why(records: Records) -> None:
    assert "unscored no score in the reply Raw reply I would <b>rather</b> not say." in parse(records["unscored"]).words
    assert "failed timed out after 30 s" in parse(records["failed"]).words
    undefined = Outcome(State.DONE, {"aptness": Score(math.nan, reason="too short")})
    assert "unscored too short" in parse(undefined).words
    not_needed = Outcome(State.DONE, {"aptness": Score(math.nan, reason="no question", needed=False)})
    assert "– aptness no question" in parse(not_needed).words


def test_reasons_are_in_the_language_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LANGUAGE_VARIABLE, "zh")
    shown = parse(Outcome.unscored(message("ear.clip-silent")))
    assert "音频是静音" in shown.words
    assert shown.elements[0][1]["lang"] == "zh-Hans"


def test_an_item_has_its_story_and_a_player(records: Records) -> None:
    shown = parse(records["Entry"])
    assert "Item line-01" in shown.words
    assert shown.words.count("Earlier line") == 6  # the last ones of eight
    assert "Mara You should not have come back." in shown.words
    assert shown.count("audio") == 1
    assert "People gave 1" in shown.words


def test_only_short_recordings_that_are_there_have_players(take_files: dict[str, AudioRef]) -> None:
    payload = {name: to_json(ref) for name, ref in take_files.items()}
    shown = parse(Entry(Item.make("a", payload), Outcome(State.DONE, {"s": Score(1.0)})))
    assert shown.count("audio") == 2
    assert LONGEST_CLIP == 60.0
    assert "Left out: 1 min 1 s is too long to be put in here." in shown.words
    assert "Cannot be read" in shown.words


def test_a_run_has_its_mean_counts_histogram_and_both_ends(records: Records) -> None:
    run = records["Run"]
    assert isinstance(run, Run)
    shown = parse(run)
    outcomes = [entry.outcome for entry in run.entries if entry.repeat == 0]
    scored = [outcome.scores["aptness"].value for outcome in outcomes if outcome.scores]
    assert len(scored) == 54
    assert f"Mean score {np.mean(scored):.2f} / 5 [" in shown.words
    assert "Scored 54 / 61 89 % · 1 not reached yet Unscored 3 Failed 3" in shown.words
    assert "score run-of-tests" in shown.words
    assert "engine built-in · 61 items · Score: aptness · finished 2026-03-01 10:59 UTC" in shown.words
    bars = [held for tag, held in shown.elements if tag == "rect" and "data-count" in held]
    assert sum(int(str(held["data-count"])) for held in bars) == 54
    rows = shown.having("mark")
    assert len(rows) == 2 * MOST_WORST
    assert [held["class"] for held in rows] == ["mark low"] * MOST_WORST + ["mark high"] * MOST_WORST
    assert shown.count("audio") == 2 * MOST_WORST
    assert "The judge is small." in shown.words
    opened = [held for tag, held in shown.elements if tag == "details"]
    assert ["open" in held for held in opened] == [True]  # six items have no score: a reason to look at the trust card


def test_a_run_without_items_says_that_there_is_no_number(records: Records) -> None:
    shown = parse(records["unfinished"])
    assert "Mean score – no item has a number" in shown.words
    assert "Scored 0 / 61" in shown.words
    assert shown.count("audio") == 0


def test_a_run_from_the_disk_keeps_its_probes_and_nothing_is_written(
    make_entry: Callable[..., Entry], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with RunFolder(folder, RunConfig(verb="score", engine="built-in")) as opened:
        opened.journal.append([make_entry("a", 4.0)])
    write_trust(folder, TrustCard("aptness", 1, 1, batch=Probe(ProbeState.PASSED, 0.0, 1, "nothing moved")))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "Same score in another batch size? passed 0 · nothing moved" in parse(load_run(folder)).words
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_recordings_are_left_out_once_the_room_is_used_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(0).normal(0, 0.2, 2 * 16000)
    entries = []
    for number in range(10):
        soundfile.write(tmp_path / f"{number}.wav", noise, 16000)
        payload = {"audio": to_json(AudioRef(str(tmp_path / f"{number}.wav")))}
        entries.append(Entry(Item.make(str(number), payload), Outcome(State.DONE, {"s": Score(float(number))})))
    run = Run(tmp_path, RunConfig(verb="score", engine="x"), tuple(entries))
    assert parse(run).count("audio") == 10
    monkeypatch.setattr("aptone.report.displays.run.ROOM", 50_000)
    shown = parse(run)
    assert 0 < shown.count("audio") < 10
    assert len(shown.markup) < 50_000 + 40_000


def test_a_comparison_has_the_difference_and_what_changed_most(records: Records) -> None:
    shown = parse(records["Comparison"])
    assert "B is better: the 95 % interval leaves out 0." in shown.words
    assert "Difference (B – A) 0.25 [0.1, 0.4] Items 12 p = 0.01" in shown.words
    assert "line-12 2 5 +3 better line-11 2 -0.75 -2.75 worse" in shown.words
    assert "line-5 " in shown.words
    assert "line-4 " not in shown.words
    assert "4 more rows" in shown.words
    assert "Only A scored 1: line-a" in shown.words
    assert "the judges differ" in shown.words
    undirected = records["Comparison"]
    assert isinstance(undirected, Comparison)
    assert "worse" not in parse(replace(undirected, higher_is_better=None)).words


def test_a_trust_card_has_a_row_for_each_question_and_reasons_where_something_is_wrong(records: Records) -> None:
    shown = parse(records["TrustCard"])
    assert "Scored look here 2 / 3 (67 %)" in shown.words
    assert "Failed look here 1 1 timed out" in shown.words
    assert "Same score when asked again? not run – Run the same command with --repeat 3." in shown.words
    assert "Read this." in shown.words


def test_perceptions_of_any_length_are_drawn_in_bounded_space(make_perception: Callable[..., Perception]) -> None:
    assert len(parse(make_perception(600.0)).markup) < 250_000
