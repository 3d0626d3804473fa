"""``--reference`` of score, rank and hear."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.ear.reference import References
from aptone.run import load_run
from aptone.types import Audio, from_json, loads

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
STORY = CLIPS.parent / "story.en.txt"
LINE = "Get out! The water is over the wall!"
SERVER = ("--set", "judge.model=x", "--set", "judge.base_url=http://127.0.0.1:9/v1")
Aptone = Callable[..., Any]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Twelve clips of one speaker and two of another."""
    rows = []
    for number, path in enumerate(sorted(CLIPS.glob("*.opus"))[:14]):
        speaker = "anna" if number < 12 else "bert"
        plan = {"emotion": "fear", "rhythm": "tense", "intonation": "falling"}
        rows.append({"id": path.stem, "audio": str(path), "line": LINE, "plan": plan, "ids": {"speaker": speaker}})
    written = tmp_path / "manifest.jsonl"
    written.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return written


def scores(folder: Path) -> dict[str, float]:
    return {entry.item.id: entry.outcome.scores["aptness"].value for entry in load_run(folder).entries}


def test_a_run_is_heard_against_its_own_clips_and_keeps_what_they_sound_like(
    aptone: Aptone, manifest: Path, tmp_path: Path
) -> None:
    plain, referenced = tmp_path / "plain", tmp_path / "referenced"
    assert aptone("score", manifest, "-o", plain).code == 0
    shown = aptone("score", manifest, "-o", referenced, "--reference", "self")
    assert shown.code == 0
    assert "Reference: 13 clips" in " ".join(shown.out.split())  # one has less than a second of speech
    kept = from_json(References, loads((referenced / "reference.json").read_bytes(), what="reference"))
    assert set(kept.voices) == {"anna"}
    assert kept.few == {"bert": 2}
    assert scores(plain) != scores(referenced)
    for entry in load_run(referenced).entries:
        assert f"reference:{kept.signature}" in entry.outcome.signature


def test_a_resumed_run_hears_as_it_began(aptone: Aptone, manifest: Path, tmp_path: Path) -> None:
    folder, whole = tmp_path / "stopped", tmp_path / "whole"
    assert aptone("score", manifest, "-o", whole, "--reference", "self").code == 0
    aptone("score", manifest, "-o", folder, "--reference", "self", "--max-items", "3")
    assert len(scores(folder)) == 3
    before = (folder / "reference.json").read_bytes()
    assert aptone("score", manifest, "-o", folder, "--reference", "self").code == 0
    assert (folder / "reference.json").read_bytes() == before
    assert scores(folder) == scores(whole)


def test_another_reference_does_not_go_into_the_same_run(aptone: Aptone, manifest: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert aptone("score", manifest, "-o", folder, "--reference", "self").code == 0
    refused = aptone("score", manifest, "-o", folder)
    assert refused.code == 2
    assert "reference" in refused.err


def test_one_clip_is_heard_against_a_folder_and_not_against_itself(aptone: Aptone, tmp_path: Path) -> None:
    given = ("score", CLIPS / "wall-apt.opus", "--story", STORY, "--line", LINE, "--json")
    plain = aptone(*given).json["outcome"]
    heard = aptone(*given, "--reference", CLIPS).json["outcome"]
    assert heard["scores"]["emotion"]["value"] != plain["scores"]["emotion"]["value"]
    assert "reference:" in heard["signature"]
    alone = aptone(*given, "--reference", "self")
    assert alone.code == 2
    assert "--reference self needs the clips of a run" in alone.json["error"]
    assert aptone(*given, "--reference", "none").json["outcome"]["signature"] == plain["signature"]
    few = tmp_path / "few"
    few.mkdir()
    shutil.copy(CLIPS / "wall-apt.opus", few)
    assert "1 recordings are too few" in aptone(*given, "--reference", few).json["error"]


def test_takes_are_ranked_against_a_folder(aptone: Aptone) -> None:
    takes = [CLIPS / f"wall-{name}.opus" for name in ("flat", "wrong", "apt")]
    given = ("rank", STORY, "--line", LINE, *takes, "--json")
    plain, heard = aptone(*given).json, aptone(*given, "--reference", CLIPS).json
    assert any(note.startswith("Reference: ") for note in heard["notes"])
    assert heard["takes"][0]["take"] == "wall-apt.opus"
    assert heard["takes"] != plain["takes"]


def test_an_engine_that_does_not_hear_by_the_ear_takes_no_reference(aptone: Aptone, manifest: Path) -> None:
    refused = aptone("score", manifest, "--judge", "api", *SERVER, "--reference", "self")
    assert refused.code == 2
    assert "does not hear by the built-in ear" in " ".join(refused.err.split())


def test_clips_are_heard_against_each_other(aptone: Aptone) -> None:
    plain = [json.loads(row) for row in aptone("hear", CLIPS, "--json").out.splitlines()]
    heard = [json.loads(row) for row in aptone("hear", CLIPS, "--json", "--reference", "self").out.splitlines()]
    assert [row["clip"] for row in plain] == [row["clip"] for row in heard]
    changed = [
        one["perception"]["emotion"] != other["perception"]["emotion"] for one, other in zip(plain, heard, strict=True)
    ]
    assert all(changed)
    assert all("reference:" in row["perception"]["signature"] for row in heard)
    few = aptone("hear", CLIPS / "wall-apt.opus", "--reference", "self")
    assert few.code == 2
    assert "1 recordings are too few for a reference" in " ".join(few.err.split())


def test_no_reference_is_the_same_run_whether_it_is_typed_or_not(
    aptone: Aptone, manifest: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    assert aptone("score", manifest, "-o", folder, "--max-items", "2").code == 3
    assert aptone("score", manifest, "-o", folder, "--reference", "none").code == 0
    assert len(scores(folder)) == 14


def stamp(seconds: float) -> str:
    return f"00:{int(seconds) // 60:02d}:{int(seconds) % 60:02d},{round(seconds % 1 * 1000) % 1000:03d}"


def test_a_film_is_heard_against_itself_unless_that_is_switched_off(aptone: Aptone, tmp_path: Path) -> None:
    pieces, rows, at = [], [], 0.0
    for number, path in enumerate(sorted(CLIPS.glob("*-apt.opus")) + sorted(CLIPS.glob("*-wrong.opus")), start=1):
        samples = read(path, rate=16_000).samples
        pieces.append(np.concatenate([samples, np.zeros(8_000, dtype=np.float32)]))
        rows.append(
            f"{number}\n{stamp(at)} --> {stamp(at + samples.size / 16_000)}\nThis is line {number}, she said.\n"
        )
        at += pieces[-1].size / 16_000
    write(tmp_path / "film.wav", Audio(np.concatenate(pieces), rate=16_000))
    (tmp_path / "film.srt").write_text("\n".join(rows), encoding="utf-8")
    given = ("score", "film.wav", "--story", "film.srt", "--language", "en", "-o")
    assert aptone(*given, "run").code == 0
    kept = from_json(References, loads(Path("run/reference.json").read_bytes(), what="reference"))
    assert kept.whole is not None
    assert load_run("run").config.settings["reference"] == "self"
    assert all(f"reference:{kept.signature}" in entry.outcome.signature for entry in load_run("run").entries)
    assert aptone(*given, "run", "--reference", "none").code == 2  # another run
    assert aptone(*given, "plain", "--reference", "none").code == 0
    assert not Path("plain/reference.json").exists()
    assert all("reference:" not in entry.outcome.signature for entry in load_run("plain").entries)
