import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import aptone as package
from aptone.cli.options.language import names_of
from tests.models.local_models import save_omni
from tests.tables import for_each

PLAN = '{"emotion": "grave", "rhythm": "heavy", "intonation": "falling", "recording_condition": "phone"}'


def record(**fields: object) -> str:
    whole = {"audio": "a.opus", "line": "Stay.", "plan": {"rhythm": "heavy", "intonation": "falling"}, **fields}
    return json.dumps(whole) + "\n"


@pytest.fixture
def folder(tmp_path: Path, clip: Path) -> Path:
    """Three records, the last of which names a recording that is not there."""
    shutil.copy(clip, tmp_path / "a.opus")
    shutil.copy(clip, tmp_path / "b.opus")
    text = record(id="a") + record(id="b", audio="b.opus") + record(id="gone", audio="gone.opus")
    (tmp_path / "manifest.jsonl").write_text(text)
    return tmp_path


def test_one_clip_gets_a_score_a_reason_and_the_note_what_its_engine_was_never_compared_with(
    aptone: Callable[..., Any], clip: Path
) -> None:
    shown = aptone("score", clip, "--line", "Stay where you are.", "--plan", PLAN)
    assert shown.code == 0
    assert "The rhythm that suits the line is heavy; the one heard is most likely heavy." in " ".join(shown.out.split())
    assert "Note: Built-in judge: it compares what its ear hears with the plan." in " ".join(shown.out.split())
    assert "Weights: ear: full (CC-BY-NC-SA-4.0)" in shown.out


def test_one_clip_is_told_about_in_mandarin_too(aptone: Callable[..., Any], clip: Path) -> None:
    shown = aptone("score", clip, "--line", "别动。", "--plan", PLAN, "--language", "zh").out
    for said in ("得当程度", "说明：内置评审：", "权重：听觉模型：full（CC-BY-NC-SA-4.0）"):
        assert said in shown
    for said in ("aptness", "Note:", "Weights:"):
        assert said not in shown


def test_a_reader_of_another_language_gets_the_same_score_and_reasons_of_their_own(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "story.txt").write_text('The keeper sighed.\n"Stay where you are," he said angrily.\n', "utf-8")
    given = ("score", clip, "--line", "Stay where you are", "--story", "story.txt", "--json")
    plain = aptone(*given).json["outcome"]
    told = aptone(*given, "--lang", "zh").json["outcome"]
    assert told["scores"] == plain["scores"]
    assert told["signature"] == plain["signature"]
    assert told["evidence"]["plan"] == plain["evidence"]["plan"]
    assert plain["rationale"].startswith("The emotion should be")
    assert told["rationale"].startswith("情感应为")
    monkeypatch.setenv("APTONE_LANG", "zh")
    assert aptone(*given).json["outcome"]["rationale"] == told["rationale"]


@pytest.mark.slow
def test_a_run_goes_on_in_another_language_and_keeps_the_reasons_that_it_has(
    aptone: Callable[..., Any], folder: Path
) -> None:
    aptone("score", "manifest.jsonl", "-o", "run", "--max-items", "1")
    shown = aptone("score", "manifest.jsonl", "-o", "run", "--lang", "zh", "--json")
    first, second = (item["rationale"] for item in shown.json["items"][:2])
    assert first.startswith("The rhythm that suits the line")
    assert second.startswith("适合这句的节奏是")


@pytest.mark.slow
def test_nothing_is_said_of_a_planner_where_every_line_brings_its_plan(
    aptone: Callable[..., Any], clip: Path, folder: Path
) -> None:
    said = "The built-in planner is a small model"
    assert said not in aptone("score", clip, "--line", "Stay.", "--plan", PLAN).out
    assert said in aptone("score", clip, "--line", "Stay.").out
    aptone("score", "manifest.jsonl", "-o", "run")
    assert said not in (folder / "run" / "trust.json").read_text()
    again = ("--plan", PLAN, "--set", "planner.replan=true")
    assert said in aptone("score", clip, "--line", "Stay.", *again).out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "said"), [("en", "Note: Only the line was read"), ("zh", "说明：只读了这一句台词")]
)
def test_a_line_without_story_and_plan_is_told_to_be_all_that_was_read(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path, language: str, said: str
) -> None:
    story = tmp_path / "story.txt"
    story.write_text("The door opens.\nStay where you are.\n", encoding="utf-8")
    given = ("score", clip, "--line", "Stay where you are.", "--language", language)
    assert said in aptone(*given).out
    assert said not in aptone(*given, "--story", story).out
    assert said not in aptone(*given, "--plan", PLAN).out


def test_one_clip_as_json(aptone: Callable[..., Any], clip: Path) -> None:
    shown = aptone("score", clip, "--line", "Stay where you are.", "--plan", PLAN, "--json")
    outcome = shown.json["outcome"]
    assert outcome["state"] == "done"
    assert 0.0 <= outcome["scores"]["aptness"]["value"] <= 5.0
    assert shown.json["notes"]
    assert shown.json["licence"] == "ear: full (CC-BY-NC-SA-4.0)"


def test_the_judge_hears_with_the_ear_that_is_set(aptone: Callable[..., Any], clip: Path) -> None:
    given = ("score", clip, "--line", "Stay where you are.", "--plan", PLAN, "--json")
    shown = aptone(*given, "--set", "judge.ear=permissive")
    assert shown.json["licence"] == "ear: permissive (Apache-2.0)"
    assert "ear:permissive" in shown.json["outcome"]["signature"]
    wrong = aptone(*given, "--set", "judge.ear=golden")
    assert wrong.code == 2
    assert "choose one of full, permissive" in wrong.err


def test_the_plan_may_be_a_file_and_the_story_gives_the_context(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path
) -> None:
    (tmp_path / "plan.json").write_text(PLAN)
    (tmp_path / "story.txt").write_text("It rained.\n“Stay.”\nHe stayed.\n", encoding="utf-8")
    shown = aptone(
        "score", clip, "--line", "Stay.", "--story", "story.txt", "--plan", "plan.json", "-o", "run", "--json"
    )
    assert shown.code == 0
    (entry,) = package.load_run("run").entries
    assert entry.item.payload["context"][0]["text"] == "It rained."  # type: ignore[index,call-overload]
    assert entry.item.payload["following"][0]["text"] == "He stayed."  # type: ignore[index,call-overload]


def test_the_same_clip_gives_the_same_score_from_python_and_from_the_command_line(
    aptone: Callable[..., Any], clip: Path
) -> None:
    shown = aptone("score", clip, "--line", "Stay.", "--plan", PLAN, "--json")
    outcome = package.score(clip, line="Stay.", plan=json.loads(PLAN))
    assert shown.json["outcome"]["scores"]["aptness"]["value"] == outcome.scores["aptness"].value


def test_a_manifest_gives_a_run_folder_a_table_and_exit_code_1_if_an_item_failed(
    aptone: Callable[..., Any], folder: Path
) -> None:
    shown = aptone("score", "manifest.jsonl", "-o", "run")
    assert shown.code == 1
    assert sorted(path.name for path in (folder / "run").iterdir() if not path.name.startswith(".")) == [
        "config.json",
        "journal.jsonl",
        "report.html",
        "trust.json",
    ]
    assert "Report: run/report.html" in shown.out
    states = {entry.item.id: entry.outcome.state.value for entry in package.load_run("run").entries}
    assert states == {"a": "done", "b": "done", "gone": "failed"}


@pytest.mark.slow
def test_a_failed_item_is_tried_again_and_the_done_ones_are_not(
    aptone: Callable[..., Any], folder: Path, clip: Path
) -> None:
    assert aptone("score", "manifest.jsonl", "-o", "run", "--json").json["worked"] == 3
    shutil.copy(clip, folder / "gone.opus")
    again = aptone("score", "manifest.jsonl", "-o", "run", "--json")
    assert (again.code, again.json["worked"]) == (0, 1)
    assert [item["state"] for item in again.json["items"]] == ["done"] * 3
    assert aptone("score", "manifest.jsonl", "-o", "run", "--json").json["worked"] == 0


def test_without_a_folder_the_run_is_named_after_the_manifest(aptone: Callable[..., Any], folder: Path) -> None:
    aptone("score", "manifest.jsonl")
    assert (folder / "manifest-run" / "journal.jsonl").exists()


@pytest.mark.slow
def test_another_seed_is_refused_on_the_same_folder(aptone: Callable[..., Any], folder: Path) -> None:
    aptone("score", "manifest.jsonl", "-o", "run")
    shown = aptone("score", "manifest.jsonl", "-o", "run", "--seed", "7")
    assert shown.code == 2
    assert "seed: 0 then, 7 now" in shown.err


@pytest.mark.slow
def test_a_changed_recording_is_refused_on_the_same_folder(
    aptone: Callable[..., Any], folder: Path, clip: Path
) -> None:
    aptone("score", "manifest.jsonl", "-o", "run")
    shutil.copy(clip.with_name("keeper-flat.opus"), folder / "a.opus")
    shown = aptone("score", "manifest.jsonl", "-o", "run")
    assert shown.code == 2
    assert "item 'a' has changed since it was scored" in shown.err


@pytest.mark.slow
def test_repeats_and_the_batch_check_are_on_the_trust_card(aptone: Callable[..., Any], folder: Path) -> None:
    trust = aptone("score", "manifest.jsonl", "-o", "run", "--repeat", "2", "--batch-check", "--json").json["trust"]
    assert trust["repeat"]["state"] == "passed"
    assert trust["batch"]["state"] == "not-applicable"
    assert trust["items"] == 3


def test_the_batch_check_of_a_local_model_compares_its_batches(
    aptone: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "model").mkdir()
    options = {"model": save_omni(tmp_path / "model", scores=True), "device": "cpu", "max_tokens": 12, "batch_size": 2}
    given = [word for name, value in options.items() for word in ("--set", f"judge.{name}={value}")]
    asked = ("score", "manifest.jsonl", "-o", "run", "--engine", "local", "--planner", "by-hand", "--json", *given)
    assert aptone(*asked).json["trust"]["batch"]["state"] == "not-run", "it takes its time, so it is asked for"
    shown = aptone(*asked, "--batch-check")
    trust = shown.json["trust"]
    assert (trust["batch"]["state"], trust["batch"]["value"]) == ("passed", 0.0)
    assert [item["state"] for item in shown.json["items"]] == ["done", "done", "failed"]


@pytest.mark.slow
def test_a_limit_on_items_stops_cleanly_and_the_next_run_goes_on(aptone: Callable[..., Any], folder: Path) -> None:
    first = aptone("score", "manifest.jsonl", "-o", "run", "--max-items", "1", "--json")
    assert (first.code, first.json["worked"], first.json["stopped"]) == (3, 1, "--max-items 1 reached")
    assert first.json["limit"] == "max-items"
    assert "aptone: --max-items 1 reached: the run is not complete." in first.err
    second = aptone("score", "manifest.jsonl", "-o", "run", "--json")
    assert (second.json["worked"], second.json["stopped"]) == (2, "")


@pytest.mark.slow
def test_processes_give_the_same_scores_as_this_process(aptone: Callable[..., Any], folder: Path) -> None:
    here = aptone("score", "manifest.jsonl", "-o", "here", "--json").json["items"]
    there = aptone(
        "score", "manifest.jsonl", "-o", "there", "--executor", "processes", "--workers", "2", "--no-cache", "--json"
    ).json["items"]
    assert [item["scores"] for item in here] == [item["scores"] for item in there]


def test_a_clip_without_a_plan_is_refused_by_a_planner_that_makes_none(aptone: Callable[..., Any], clip: Path) -> None:
    shown = aptone("score", clip, "--line", "Stay.", "--planner", "by-hand")
    assert shown.code == 2
    assert "there is no plan, and this planner makes none" in shown.err


def test_a_clip_without_a_plan_is_judged_by_what_its_story_asks_for(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path
) -> None:
    story = tmp_path / "story.txt"
    line = "That's wonderful! I'm so happy for you!"
    story.write_text(f"Mara picked up the telephone.\n{line}\n", encoding="utf-8")
    told = aptone("score", clip, "--line", line, "--story", story, "--json").json
    plan = told["outcome"]["evidence"]["plan"]
    assert (plan["emotion"], plan["recording_condition"]) == ("happy", "phone")
    assert told["outcome"]["state"] == "done"


@for_each(
    ("arguments", "message"),
    [
        (["clip.wav"], "--line is missing"),
        (["clip.wav", "--line", "x", "--plan", "{"], "not valid JSON"),
        (["clip.wav", "--line", "x", "--plan", '{"rhythm": "wobbly"}'], "is not a known rhythm"),
        (["clip.wav", "--line", "x", "--plan", "nowhere.json"], "neither JSON nor a file"),
        (["clip.wav", "--line", "x", "--plan", "{}"], "clip.wav"),
        (["clip.wav", "--line", "x", "--story", "nowhere.txt"], "cannot be read as a story"),
        (["clip.wav", "--line", "x", "--plan", "{}", "--engine", "build-in"], "did you mean built-in?"),
        (["clip.wav", "--line", "x", "--plan", "{}", "--judge", "bilt-in"], "did you mean built-in?"),
        (["m.jsonl", "--line", "x"], "--line describes one clip"),
        (["m.jsonl", "--occurrence", "2"], "--occurrence describes one clip"),
        (["clip.wav", "--line", "x", "--occurrence", "2"], "give the story, too"),
        (["clip.wav", "--story", "s.txt", "--occurrence", "2"], "--line does not say which"),
        (["m.jsonl"], "m.jsonl: there is no such file or folder"),
        (["m.csv"], "m.csv: there is no such file or folder"),
    ],
)
def test_what_the_user_got_wrong_is_said_without_a_traceback(
    aptone: Callable[..., Any], arguments: list[str], message: str
) -> None:
    shown = aptone("score", *arguments)
    assert shown.code == 2
    assert message in shown.err
    assert "Traceback" not in shown.err


@for_each(
    "option", [["--repeat", "3"], ["--batch-check"], ["--max-items", "1"], ["--max-cost", "1"], ["--workers", "2"]]
)
def test_an_option_that_only_a_run_can_have_is_refused_for_a_clip_without_a_folder(
    aptone: Callable[..., Any], clip: Path, option: list[str]
) -> None:
    shown = aptone("score", clip, "--line", "x", "--plan", PLAN, *option)
    assert shown.code == 2
    assert f"{option[0]} needs a run folder; name one with -o." in shown.err


def test_a_plan_that_asks_for_nothing_that_can_be_judged_gives_no_score(aptone: Callable[..., Any], clip: Path) -> None:
    shown = aptone("score", clip, "--line", "x", "--plan", '{"emotion": "zorbly"}', "--json")
    assert (shown.code, shown.json["outcome"]["state"], shown.json["outcome"]["scores"]) == (1, "unscored", {})


def test_a_run_in_which_nothing_was_scored_does_not_pass(
    aptone: Callable[..., Any], tmp_path: Path, clip: Path
) -> None:
    shutil.copy(clip, tmp_path / "a.opus")
    (tmp_path / "manifest.jsonl").write_text(record(plan={"emotion": "zorbly"}))
    assert aptone("score", "manifest.jsonl").code == 1


def test_what_was_stopped_says_how_to_go_on(aptone: Callable[..., Any], folder: Path) -> None:
    shown = aptone("score", "manifest.jsonl", "-o", "run", "--max-items", "1")
    assert "Ended early: --max-items 1 reached. Type the same command to go on." in shown.out


@pytest.mark.slow
def test_items_of_an_earlier_input_are_named(aptone: Callable[..., Any], folder: Path) -> None:
    aptone("score", "manifest.jsonl", "-o", "run")
    (folder / "manifest.jsonl").write_text(record(id="a"))
    shown = aptone("score", "manifest.jsonl", "-o", "run", "--json")
    assert shown.json["left_over"] == ["b", "gone"]
    assert "2 of these items are from an earlier input" in aptone("score", "manifest.jsonl", "-o", "run").out


@pytest.mark.slow
def test_a_report_finds_its_clips_from_any_folder(
    aptone: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aptone("score", "manifest.jsonl", "-o", "run")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert aptone("report", folder / "run").code == 0
    assert (folder / "run" / "report.html").read_text(encoding="utf-8").count("<audio") >= 2


def test_the_table_and_the_card_speak_mandarin_when_asked(aptone: Callable[..., Any], clip: Path) -> None:
    shown = aptone("score", clip, "--line", "Stay.", "--plan", PLAN, "--language", "zh", "-o", "run")
    assert "可信度" in shown.out or "信任" in shown.out


def test_words_of_a_model_cannot_move_the_cursor(
    aptone: Callable[..., Any], clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.judge.built_in.write_rationale", lambda *_, **__: "fine \x1b[2J\x07 really")
    shown = aptone("score", clip, "--line", "Stay.", "--plan", PLAN)
    assert "\x1b" not in shown.out
    assert "really" in shown.out


@for_each(
    ("option", "message"),
    [
        ("judge", "expected PART.OPTION=VALUE"),
        ("judge.model=large", "judge 'built-in' has no option 'model'"),
        ("tempo=3", "'tempo' belongs to no part"),
    ],
)
def test_a_setting_that_no_part_has_is_refused(
    aptone: Callable[..., Any], clip: Path, option: str, message: str
) -> None:
    shown = aptone("score", clip, "--line", "x", "--plan", PLAN, "--set", option)
    assert shown.code == 2
    assert message in shown.err


def test_names_of_engines_are_completed_in_the_shell() -> None:
    complete = names_of("engines")
    context, parameter = click.Context(click.Command("x")), click.Option(["--engine"])
    assert complete(context, parameter, "buil") == ["built-in"]
    assert complete(context, parameter, "x") == []


def test_a_word_that_stands_in_two_lines_of_the_story_is_refused(aptone: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("Go.\nGo.\n")
    shown = aptone("score", "clip.wav", "--line", "Go.", "--story", "story.txt")
    assert "2 lines hold 'Go.'" in shown.err
    assert "(occurrence, from 1 to 2)" in shown.err


def test_one_of_several_lines_that_hold_the_words_is_chosen_by_its_number(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path
) -> None:
    (tmp_path / "story.txt").write_text("Stay.\nShe wept.\nStay.\n")
    given = ("score", clip, "--line", "Stay.", "--story", "story.txt", "-o", "run")
    assert aptone(*given, "--occurrence", "2").code == 0
    (entry,) = package.load_run("run").entries
    context = entry.item.payload["context"]
    assert isinstance(context, list)
    assert [dict(line)["text"] for line in context] == ["Stay.", "She wept."]


def test_the_language_of_one_clip_is_that_of_its_characters(aptone: Callable[..., Any], clip: Path) -> None:
    told = aptone("score", clip, "--line", "快出来！水漫上来了！", "--json").json
    assert "节奏" in told["outcome"]["rationale"]
    assert "节奏" not in aptone("score", clip, "--line", "Come out, the water!", "--json").json["outcome"]["rationale"]
