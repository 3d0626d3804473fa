"""``--reference`` of the verbs that hear by the built-in ear."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.ear.reference import References
from aptone.ear.reference import reference as make_reference_of
from aptone.types import dumps, from_json, loads

Aptone = Callable[..., Any]

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
ALL = sorted(CLIPS.glob("*.opus"))[1:]
"""All clips but the shortest."""
CHAT = ("--verifier", "api", "--set", "verifier.model=m", "--set", "verifier.base_url=http://localhost:1")


def write_rows(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    rows = [{"id": path.stem, "audio": str(path), "caption": "An angry voice."} for path in ALL[:9]]
    return write_rows(tmp_path / "captions.jsonl", rows)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = [{"id": path.stem, "audio": str(path), "description": "an angry man"} for path in ALL[:9]]
    return write_rows(tmp_path / "pairs.jsonl", rows)


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    turns = [[{"audio": str(path)}, {"audio": str(ALL[-1 - place])}] for place, path in enumerate(ALL[:9])]
    return write_rows(tmp_path / "talks.jsonl", [{"id": f"d{place}", "turns": one} for place, one in enumerate(turns)])


def scores(shown: Any) -> list[Any]:
    assert shown.code == 0, shown.err
    return [item["scores"] for item in shown.json["items"]]


def kept(run: str) -> References:
    return from_json(References, loads(Path(run, "reference.json").read_bytes()))


VERBS = [("caption", "captions", "--voice-reference"), ("style", "pairs", "--reference")]
VERBS += [("dialogue", "talks", "--reference")]


@pytest.mark.parametrize(("verb", "source", "option"), VERBS, ids=[verb for verb, _, _ in VERBS])
def test_a_run_keeps_its_references_and_a_resumed_one_uses_them(
    aptone: Aptone, request: pytest.FixtureRequest, verb: str, source: str, option: str
) -> None:
    given = request.getfixturevalue(source)
    shutil.copytree(CLIPS, "voice")
    command = (verb, given, "-o", "run", option, "voice", "--json", "--lang", "en")
    assert aptone(*command, "--max-items", 2).code == 3
    made = kept("run")
    shutil.rmtree("voice")  # what was kept is enough
    resumed = scores(aptone(*command))
    assert (len(resumed), kept("run")) == (9, made)
    config = json.loads(Path("run/config.json").read_text(encoding="utf-8"))
    assert config["settings"]["reference"] == "voice"
    assert any(f"reference:{made.signature}" in str(value) for value in config["settings"].values())
    assert made.note in config["notes"]
    plain = scores(aptone(verb, given, "-o", "plain", "--json", option, "none"))
    assert not Path("plain/reference.json").exists()
    if verb != "caption":  # there a claim may well stay true or false
        assert plain != resumed
    refused = aptone(verb, given, "-o", "run", "--json")
    assert refused.code == 2
    assert "reference" in refused.err


@pytest.mark.parametrize(("verb", "source", "option"), VERBS, ids=[verb for verb, _, _ in VERBS])
def test_a_run_is_heard_against_its_own_clips(
    aptone: Aptone, request: pytest.FixtureRequest, verb: str, source: str, option: str
) -> None:
    given = request.getfixturevalue(source)
    scores(aptone(verb, given, "-o", "run", option, "self", "--json"))
    whole = kept("run").whole
    assert whole is not None
    assert whole.clips == (18 if verb == "dialogue" else 9)
    assert sorted(kept("run").voices) == (["agent", "user"] if verb == "dialogue" else [])


@pytest.mark.parametrize(("verb", "source", "option"), VERBS, ids=[verb for verb, _, _ in VERBS])
def test_too_few_clips_are_a_clear_error(
    aptone: Aptone, request: pytest.FixtureRequest, verb: str, source: str, option: str
) -> None:
    given = request.getfixturevalue(source)
    given.write_text("".join(given.read_text(encoding="utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
    shown = aptone(verb, given, "-o", "run", option, "self")
    assert shown.code == 2
    assert f"{6 if verb == 'dialogue' else 3} recordings are too few for a reference; it needs at least 8" in shown.err
    assert not Path("run").exists()


def test_references_that_were_left_behind_before_a_run_began_are_made_again(aptone: Aptone, pairs: Path) -> None:
    Path("run").mkdir()
    Path("run/reference.json").write_text("{}", encoding="utf-8")
    scores(aptone("style", pairs, "-o", "run", "--reference", "self", "--json"))
    assert kept("run").whole is not None


def test_one_clip_is_heard_against_a_folder_not_against_itself(aptone: Aptone, clip: Path) -> None:
    for verb, said, option in (("style", "an angry man", "--reference"), ("caption", "Angry.", "--voice-reference")):
        refused = aptone(verb, clip, said, option, "self")
        assert refused.code == 2
        assert "needs the clips of a run" in refused.err
        shown = aptone(verb, clip, said, option, CLIPS)
        assert shown.code == 0
        assert make_reference_of(CLIPS).note in " ".join(shown.out.split())


def test_a_part_that_is_not_the_ear_is_refused_by_name(aptone: Aptone, captions: Path, talks: Path) -> None:
    refused = aptone("caption", captions, *CHAT, "--voice-reference", "self", "--yes")
    assert refused.code == 2
    assert "verifier:chat does not hear by the built-in ear" in " ".join(refused.err.split())
    answers = aptone("dialogue", talks, "--reference", "self", "--system", "mine=python answer.py {input} {output}")
    assert answers.code == 2
    assert "those of mine are made during the run" in " ".join(answers.err.split())


def test_dialogues_without_recordings_are_refused(aptone: Aptone, tmp_path: Path) -> None:
    flat = {"step": 1.0, "valence": [0.1], "arousal": [0.1], "dominance": [0.1]}
    talk = write_rows(tmp_path / "t.jsonl", [{"id": "d", "turns": [{"trajectory": flat}, {"trajectory": flat}]}])
    shown = aptone("dialogue", talk, "--reference", CLIPS)
    assert shown.code == 2
    assert "no turn has a recording" in shown.err


def test_a_search_is_heard_against_its_clips(aptone: Aptone, tmp_path: Path) -> None:
    shutil.copytree(CLIPS, tmp_path / "clips")
    first = aptone("search", "clips", "an angry man", "--reference", "self")
    assert first.code == 0
    assert make_reference_of(CLIPS).note in " ".join(first.out.split())
    plain, own = (aptone("search", "clips", "an angry man", "--reference", one, "--json") for one in ("none", "self"))
    cosines = [[one["cosine"] for one in shown.json["found"]] for shown in (plain, own)]
    assert cosines[0] != cosines[1]
    few = aptone("search", "clips", "an angry man", "--reference", "clips/.aptone")
    assert few.code == 2
    assert "0 recordings are too few" in few.err
