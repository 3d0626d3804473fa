"""``aptone answer`` and ``aptone bench paras2s`` as they are typed."""

import json
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.audio import read, write
from aptone.installation import install_command
from aptone.models import About
from aptone.models.moonshine import Moonshine
from aptone.ratings.tasks import read_task
from aptone.rooms.answer.data import AnswerSample, Dimension, Prompt, Source, write_manifest
from aptone.studio.exchange.exports import export_jsonl
from aptone.types import Probe, ProbeState, Rating
from tests.models.mock_server import Answer, MockServer, completion, server
from tests.tables import for_each

pytestmark = pytest.mark.slow

__all__ = ["server"]

Aptone = Callable[..., Any]

QUESTION = "They moved the meeting to Friday."
CALM = "I am sorry, that is annoying. Shall I ask them to move it back?"
GLAD = "Hooray, how lovely! What will you do with the free day?"


@pytest.fixture
def answers(tmp_path: Path, clip: Path) -> Path:
    """Ready answers of two systems to one pair: one minds how it is asked, the other does not."""
    folder = tmp_path / "bench"
    folder.mkdir()
    shutil.copy(clip.with_name("anybody-apt.opus"), folder / "clip.opus")  # the shortest, since reports encode it
    rows = [
        {
            "id": f"{system}-{way}",
            "prompt": way,
            "content": QUESTION,
            "dimension": "emotion",
            "category": way,
            "pair": "p",
            "audio": "clip.opus",
            "answer": "clip.opus",
            "answer_text": said,
            "system": system,
        }
        for system, texts in (("minds", {"angry": CALM, "happy": GLAD}), ("blind", {"angry": CALM, "happy": CALM}))
        for way, said in texts.items()
    ]
    manifest = folder / "answers.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return manifest


def test_ready_answers_are_judged_into_a_run_folder_and_resumed(aptone: Aptone, answers: Path, tmp_path: Path) -> None:
    shown = aptone("answer", answers, "-o", tmp_path / "run", "--blind", "blind", "--expect", "blind=1", "--json")
    assert shown.code == 1  # blind does not have the average of 1 that was expected
    assert shown.json["checks_hold"] is False
    assert shown.json["worked"] == 4
    minds, blind = shown.json["systems"]
    assert minds["pairs"]["all"]["won"]["value"] == 1.0
    assert (blind["pairs"]["all"]["won"]["value"], blind["pairs"]["all"]["ties"]) == (0.0, 1)
    assert shown.json["blind"]["minds"]["is_passed"] is True
    assert shown.json["reproductions"]["blind"]["is_reproduced"] is False
    assert shown.json["items"][0]["fields"]["output_content"] == CALM
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert page.count('<article class="contrast">') == 1
    assert aptone("answer", answers, "-o", tmp_path / "run", "--json").json["worked"] == 0
    assert aptone("report", tmp_path / "run", "--language", "zh").code == 0
    again = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert again.count('<article class="contrast">') == 1
    assert "对照问题" in again


def test_a_named_check_decides_the_exit_code(aptone: Aptone, answers: Path, tmp_path: Path) -> None:
    asked = ("answer", answers, "-o", tmp_path / "run")
    found = aptone(*asked, "--blind", "blind", "--json")
    assert found.code == 0
    average = found.json["systems"][1]["average"]["value"]["value"]
    assert aptone(*asked, "--expect", f"blind={average:.3f}").code == 0
    other = aptone(*asked, "--expect", f"blind={average - 0.5:.3f}")
    assert (other.code, "A named check did not hold" in other.out) == (1, True)
    turned = aptone(*asked, "--blind", "minds")
    assert (turned.code, "not passed" in turned.out) == (1, True)
    bench = ("bench", "paras2s", answers, "-o", tmp_path / "out")
    assert aptone(*bench, "--blind", "blind").code == 0
    failed = aptone(*bench, "--blind", "minds")
    assert (failed.code, "A named check did not hold" in failed.out) == (1, True)


def test_a_batch_check_that_was_asked_for_decides_the_exit_code_too(
    aptone: Aptone, answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Probe(ProbeState.FAILED, value=1.0, items=2, detail="it depends on the batch")
    for module in ("aptone.cli.output", "aptone.cli.bench.paras2s"):
        monkeypatch.setattr(f"{module}.batch_check", lambda *_, **__: failed)
    for verb in (("answer",), ("bench", "paras2s")):
        folder = tmp_path / verb[-1]
        assert aptone(*verb, answers, "-o", folder).code == 0
        assert aptone(*verb, answers, "-o", folder, "--batch-check").code == 1


def test_a_budget_with_several_systems_gives_a_report(
    aptone: Aptone, answers: Path, tmp_path: Path, server: MockServer
) -> None:
    rows = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()[:2]]
    questions = answers.with_name("questions.jsonl")
    kept = ("prompt", "content", "dimension", "category", "pair", "audio")
    plain = [{"id": row["prompt"], **{name: row[name] for name in kept}} for row in rows]
    questions.write_text("".join(json.dumps(row) + "\n" for row in plain), encoding="utf-8")
    copy = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(copy)} {{input}} {{output}}"
    systems = ["--system", f"one={command}", "--system", f"two={command}", "--blind", "two"]
    server.answers(*[Answer({"text": CALM})] * 4)
    served = ["--transcriber", "api", "--set", "transcriber.model=t", "--set", "transcriber.times=none"]
    served += ["--set", f"transcriber.base_url={server.base_url}", "--no-cache", "--json"]
    for most, asked in ((1, [1, 0]), (2, [1, 1])):
        shown = aptone("answer", questions, "-o", tmp_path / str(most), *systems, "--max-items", most, *served)
        assert shown.code == 3  # it is not complete, so it is not known yet whether one beats the blind system
        assert "max-items" in shown.json["stopped"]
        assert [one["asked"] for one in shown.json["systems"]] == asked
        assert (tmp_path / str(most) / "report.html").is_file()


def test_tables_are_printed_in_both_languages_and_people_are_compared(
    aptone: Aptone, answers: Path, tmp_path: Path
) -> None:
    ratings = tmp_path / "ratings.csv"
    rows = [f"minds-angry,{rater},{4 + number % 2}" for number, rater in enumerate("abc")]
    rows += [f"blind-happy,{rater},{1 + number % 2}" for number, rater in enumerate("abc")]
    rows += [f"minds-happy,{rater},5" for rater in "abc"]
    ratings.write_text("answer,rater,rating\n" + "\n".join(rows) + "\n", encoding="utf-8")
    english = aptone("answer", answers, "--ratings", ratings)
    assert english.code == 0
    for said in ("Systems", "Contrast pairs", "Two systems on the same pairs", "Against people", "Trust card"):
        assert said in english.out
    assert Path("answers-run").is_dir()
    mandarin = aptone("answer", answers, "-o", "other", "--lang", "zh").out.replace("\n", "")
    for said in ("对照胜出", "合适程度", "两个系统在相同对照上"):
        assert said in mandarin
    ratings.write_text("answer,rating\nnobody,3\n", encoding="utf-8")
    wrong = aptone("answer", answers, "--ratings", ratings, "-o", "third")
    assert (wrong.code, "there is no answer 'nobody'" in wrong.err) == (2, True)
    ratings.write_text("answer,rating\nminds-angry,7\n", encoding="utf-8")
    assert "people rate from 1 to 5" in aptone("answer", answers, "--ratings", ratings, "-o", "fourth").err


def test_a_system_answers_beside_the_recorded_answers_with_a_served_transcriber_and_judge(
    aptone: Aptone, answers: Path, tmp_path: Path, server: MockServer
) -> None:
    copy = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    command = f"echo={shlex.quote(sys.executable)} -c {shlex.quote(copy)} {{input}} {{output}}"
    four, two = (completion(f'{{"score": {score}, "reason": "because"}}') for score in (4, 2))
    heard = Answer({"text": CALM})
    # every answer is judged as it was asked, then the other way; those of the system are transcribed before
    server.answers(*[four, two] * 4, heard, four, two, heard, four, two)
    served = f"base_url={server.base_url}"
    options = ["--system", command, "--engine", "api", "--set", "judge.model=j", "--set", f"judge.{served}"]
    options += ["--transcriber", "api", "--set", "transcriber.model=t", "--set", "transcriber.times=none"]
    options += ["--set", f"transcriber.{served}", "--workers", "1", "--no-cache", "--json"]
    shown = aptone("answer", answers, "-o", tmp_path / "run", *options)
    assert shown.code == 0
    assert [one["name"] for one in shown.json["systems"]] == ["minds", "blind", "echo"]
    echo = shown.json["systems"][-1]
    assert (echo["average"]["value"]["value"], echo["pairs"]["all"]["margin"]["value"]) == (4.0, 2.0)
    assert len(list((tmp_path / "run" / "answers" / "echo-1").iterdir())) == 2
    assert [one.path for one in server.received].count("/v1/audio/transcriptions") == 2


def test_real_speech_is_found_by_its_ids_in_the_release(
    aptone: Aptone, clip: Path, tmp_path: Path, server: MockServer
) -> None:
    lines = ("Ses01F_impro01_F001", "Ses01F_impro01_M002")
    manifest = tmp_path / "bench" / "manifest.jsonl"
    manifest.parent.mkdir()
    prompts = [
        Prompt(f"iemocap-{line}", QUESTION, Dimension.EMOTION, "angry", source=Source.IEMOCAP, ids={"release_id": line})
        for line in lines
    ]
    write_manifest(manifest, [AnswerSample(prompt.id, prompt) for prompt in prompts])
    spoken = read(clip.with_name("anybody-apt.opus"), rate=None)
    wavs = tmp_path / "IEMOCAP" / "Session1" / "sentences" / "wav" / "Ses01F_impro01"
    for folder, name in ((wavs, lines[0]), *((tmp_path / "ready", prompt.id) for prompt in prompts)):
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{name}.wav", spoken)
    served = ["--transcriber", "api", "--set", "transcriber.model=t", "--set", "transcriber.times=none"]
    served += ["--set", f"transcriber.base_url={server.base_url}", "--no-cache", "--json"]
    given = [manifest, "--system", tmp_path / "ready", *served]
    assert "has no recording of 'Ses01F_impro01_F001'" in aptone("answer", *given, "--iemocap", tmp_path).err
    server.answers(Answer({"text": CALM}))
    shown = aptone("answer", *given, "-o", tmp_path / "run", "--iemocap", tmp_path / "IEMOCAP")
    assert shown.code == 1  # the release lacks the second line, which fails by itself
    (system,) = shown.json["systems"]
    assert (system["asked"], system["scored"]) == (2, 1)
    assert list(system["average"]["parts"]) == ["iemocap"]
    assert "name a release that has it with --iemocap DIR" in str(system["unscored"])


def test_one_answer_is_judged_at_once(aptone: Aptone, clip: Path) -> None:
    words = ["--style", "angry", "--text", QUESTION, "--answer-text", CALM]
    shown = aptone("answer", clip, clip, *words)
    assert shown.code == 0
    assert shown.out.splitlines()[0].startswith("fitness ")
    assert shown.out.splitlines()[0].endswith("(from 1 to 5)")
    assert f"It says: {CALM}" in shown.out.replace("\n", " ")
    told = aptone("answer", clip, clip, *words, "--json").json
    assert told["outcome"]["scores"]["fitness"]["range"] == [1.0, 5.0]
    assert aptone("answer", clip, clip, *words, "--lang", "zh").out.startswith("合适程度 ")
    foreign = aptone("answer", clip, clip, *words[:-1], "Das tut mir leid, ich bin da, und wir finden es.")
    assert (foreign.code, "the answer is in de, the question in en" in foreign.out) == (1, True)


@for_each(
    ("arguments", "message"),
    [
        (["{clip}"], "what was answered?"),
        (["{clip}", "{clip}"], "how was it asked?"),
        (["{clip}", "{clip}", "--style", "grumpy", "--text", "a"], "'grumpy' is no way of asking"),
        (["{clip}", "{clip}", "--style", "angry", "--text", " "], "words of the question are empty"),
        (["gone.wav", "{clip}", "--style", "angry", "--text", "a"], "gone.wav: no such file"),
        (["{clip}", "{clip}", "--style", "angry", "--blind", "x"], "--blind belongs to a list"),
        (["{clip}", "{clip}", "--style", "angry", "-o", "x"], "-o belongs to a list"),
        (["{answers}", "--style", "angry"], "--style belongs to one question"),
        (["{answers}", "--expect", "minds"], "expected SYSTEM=VALUE"),
        (["{answers}", "--expect", "minds=7"], "an average from 1 to 5"),
        (["{answers}", "--expect", "nobody=3"], "there is no system 'nobody'"),
        (["{answers}", "--blind", "nobody"], "there is no system 'nobody'"),
        (["{answers}", "--set", "planner.model=x"], "belongs to no part"),
        (["{answers}", "--system", "nonsense"], "there is no folder of that name"),
        (
            ["{answers}", "--ratings", "gone.csv"],
            "(No such file or directory); check the path",
        ),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_judged(
    aptone: Aptone, answers: Path, clip: Path, arguments: list[str], message: str
) -> None:
    shown = aptone("answer", *(text.format(clip=clip, answers=answers) for text in arguments))
    assert shown.code == 2
    assert message in " ".join(shown.err.split())


def test_without_a_transcriber_it_is_told_how_to_get_one(
    aptone: Aptone, answers: Path, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Moonshine, "about", About(modules=("no_such_module",), extra="speech"))
    missing = aptone("answer", clip, clip, "--style", "angry", "--text", QUESTION)
    assert missing.code == 2
    assert install_command("speech") in " ".join(missing.err.split())
    mandarin = aptone("answer", clip, clip, "--style", "angry", "--text", "我的包裹在哪里？")
    assert "does not know Mandarin" in " ".join(mandarin.err.split())
    questions = tmp_path / "questions.csv"
    questions.write_text("id,content,dimension,category\na,Where?,emotion,angry\n", encoding="utf-8")
    assert "there are questions, but no answers" in aptone("answer", questions).err


def test_recordings_of_real_speech_are_found_in_the_release(
    aptone: Aptone, clip: Path, tmp_path: Path, server: MockServer
) -> None:
    line = "Ses01F_impro01_F001"
    place = tmp_path / "IEMOCAP" / "Session1" / "sentences" / "wav" / "Ses01F_impro01"
    place.mkdir(parents=True)
    write(place / f"{line}.wav", read(clip, rate=16_000, channel="mix"))
    prompt = Prompt(line, QUESTION, Dimension.EMOTION, "angry", source=Source.IEMOCAP, ids={"release_id": line})
    manifest = tmp_path / "real.jsonl"
    write_manifest(manifest, [AnswerSample(line, prompt)])
    server.answers(Answer({"text": CALM}))
    copy = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    command = f"echo={shlex.quote(sys.executable)} -c {shlex.quote(copy)} {{input}} {{output}}"
    served = [f"transcriber.base_url={server.base_url}", "transcriber.model=t", "transcriber.times=none"]
    options = [text for setting in served for text in ("--set", setting)]
    arguments = ["answer", manifest, "--system", command, "--transcriber", "api", *options, "--no-cache"]
    without = aptone(*arguments, "-o", tmp_path / "without")
    assert without.code == 1
    assert "name a release that has it with --iemocap DIR" in " ".join(without.out.split())
    found = aptone(*arguments, "-o", tmp_path / "run", "--iemocap", tmp_path / "IEMOCAP", "--json")
    assert found.code == 0
    assert found.json["items"][0]["state"] == "done"


def test_the_benchmark_compares_judges_on_the_same_answers(aptone: Aptone, answers: Path, tmp_path: Path) -> None:
    judges = ["--judge", "built-in", "--judge", "built-in:name=again"]
    shown = aptone("bench", "paras2s", answers, "-o", tmp_path / "out", *judges, "--blind", "blind", "--json")
    assert shown.code == 0
    assert [one["judge"] for one in shown.json["judges"]] == ["built-in", "again"]
    assert shown.json["swaps"]["again"]["keeps_order"] is True
    assert shown.json["swaps"]["again"]["shift"]["difference"]["value"] == 0.0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Another judge on the same answers" in page
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["judges"]
    printed = aptone("bench", "paras2s", answers, "-o", tmp_path / "out", *judges)
    assert "Systems · again" in printed.out
    assert "Contrast pairs · built-in" in printed.out  # pairs and checks are those of the first judge
    for arguments, message in (
        (["--judge", "built-in", "--judge", "built-in"], "the name 'built-in' is taken"),
        (["--set", "judge.model=x"], "stand behind its name here"),
        (["--judge", "oracle"], "answers are judged by"),
    ):
        wrong = aptone("bench", "paras2s", answers, *arguments)
        assert (wrong.code, message in " ".join(wrong.err.split())) == (2, True)


def test_questions_of_a_release_are_found_by_their_ids(aptone: Aptone, tmp_path: Path, clip: Path) -> None:
    wavs = tmp_path / "IEMOCAP" / "Session1" / "sentences" / "wav" / "Ses01F_impro01"
    wavs.mkdir(parents=True)
    shutil.copy(clip, wavs / "Ses01F_impro01_F001.wav")
    row = {
        "id": "iemocap-1",
        "content": QUESTION,
        "dimension": "emotion",
        "category": "angry",
        "source": "iemocap",
        "ids": {"release_id": "Ses01F_impro01_F001"},
        "answer": "clip.opus",
        "answer_text": CALM,
    }
    shutil.copy(clip, tmp_path / "clip.opus")
    manifest = tmp_path / "real.jsonl"
    manifest.write_text(json.dumps(row) + "\n", encoding="utf-8")
    asked = ("answer", manifest, "-o", tmp_path / "run", "--json")
    assert aptone(*asked, "--iemocap", tmp_path / "IEMOCAP").code == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert page.count("<audio") == 2  # the question beside its answer
    other = aptone(
        "answer", manifest, "-o", tmp_path / "other", "--iemocap", tmp_path / "IEMOCAP" / "Session1", "--json"
    )
    assert "no recording of 'Ses01F_impro01_F001'" in other.json["error"]


def test_answers_go_to_raters_of_the_studio_and_their_ratings_come_back(
    aptone: Aptone, answers: Path, tmp_path: Path
) -> None:
    assert aptone("answer", answers, "-o", "run", "--json").code == 0
    made = aptone("build", "rating-task", "paras2s-answers", "run", "-o", "raters", "--json")
    assert made.json["items"] == 4  # all there are: fewer than 30 of a dimension
    task = read_task(tmp_path / "raters" / "task.json")
    assert all(isinstance(item.hidden["judge_score"], float) for item in task.items)
    given = [
        Rating(task.name, item.id, who, {"fitness": 5 if "minds" in item.id else 1})
        for item in task.items
        for who in "abc"
    ]
    export_jsonl(task, given, {}, tmp_path / "ratings.jsonl")
    shown = aptone("answer", answers, "--ratings", "ratings.jsonl", "-o", "rated", "--json")
    assert shown.code == 0
    assert shown.json["people"]["all"]["rated"] == 4
