"""``aptone build paras2s`` as it is typed, with engines that are there."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.mock_server import MockServer, completion, server
from tests.tables import for_each

__all__ = ["server"]

Aptone = Callable[..., Any]

SHORT = ("--prompts", 1, "--dimension", "gender", "--transcriber", "none", "--max-attempts", 1)
needs_flite = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")


@needs_flite
def test_a_benchmark_is_built_resumed_and_verified(aptone: Aptone) -> None:
    built = aptone("build", "paras2s", "-o", "questions", *SHORT, "--json")
    assert built.code == 0
    assert built.json["questions"] == {"gender": 1}
    assert built.json["yields"]["speech"]["words unverified"] == 2
    again = aptone("build", "paras2s", "-o", "questions", *SHORT)
    assert "Kept pairs" in again.out
    assert "Nobody checked the words" in again.out
    chinese = aptone("build", "paras2s", "-o", "questions", *SHORT, "--lang", "zh")
    assert "保留的句对" in chinese.out
    task = json.loads(Path("questions/task.json").read_text(encoding="utf-8"))
    rows = [f"{item['id']},{rater},yes,yes" for item in task["items"] for rater in "abc"]
    Path("answers.csv").write_text("\n".join(["item,rater,content_correct,style_correct", *rows]), encoding="utf-8")
    verified = aptone("build", "paras2s", "-o", "questions", "--ratings", "answers.csv")
    assert "Right for everybody: gender 1 pairs; 0 questions were rejected." in verified.out
    lost = aptone("build", "paras2s", "-o", "questions", *SHORT[:-2], "--max-attempts", 2)
    assert lost.code == 2
    assert "another configuration" in lost.err


@needs_flite
def test_a_kill_changes_no_byte_of_the_manifest(aptone: Aptone, tmp_path: Path) -> None:
    options = [str(one) for one in ("--prompts", 2, *SHORT[2:])]
    command = [sys.executable, "-m", "aptone", "build", "paras2s", "-o", str(tmp_path / "killed"), *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, cwd=tmp_path)
    while not list((tmp_path / "killed" / "audio").glob("*.wav")) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for name in ("killed", "whole"):
        assert aptone("build", "paras2s", "-o", tmp_path / name, *options).code == 0
    killed, whole = ((tmp_path / name / "manifest.jsonl").read_bytes() for name in ("killed", "whole"))
    assert killed == whole


@for_each(
    ("options", "problem"),
    [
        (("--speaker", "parrot"), "parrot"),
        (("--set", "ear.name=x"), "expected an option of the writer, the filter"),
        (("--text", "api"), "which model is the writer"),
        (("--filter", "api"), "which model is the filter"),
        (("--cloner", "cosyvoice"), "whose voices"),
        (("--pool", "librispeech"), "expected NAME=DIR"),
        (("--meld-ids", "ids.txt"), "--meld DIR"),
        (("--training", "gone.jsonl"), "gone.jsonl"),
        (("--ratings", "gone.jsonl"), "there is no benchmark yet"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_built(
    aptone: Aptone, options: tuple[str, ...], problem: str
) -> None:
    shown = aptone("build", "paras2s", "-o", "questions", *options)
    assert shown.code == 2
    assert problem in shown.err
    assert not Path("questions").exists()


@needs_flite
def test_a_chat_model_writes_and_filters(aptone: Aptone, server: MockServer) -> None:
    answers = {"first_answer": "Try the men's.", "second_answer": "Try the women's."}
    sentence = {"text": "Which coat should I look for?", **answers}
    verdicts = {"first_plausible": True, "second_plausible": True, "passes": True, "reason": "fine"}
    server.answers(completion(json.dumps({"sentences": [sentence], **verdicts})))
    models = [f"{part}.{name}" for part in ("writer", "filter") for name in (f"base_url={server.base_url}", "model=m")]
    options = [word for one in models for word in ("--set", one)]
    built = aptone(
        "build", "paras2s", "-o", "questions", *SHORT, "--text", "api", "--filter", "api", *options, "--json"
    )
    assert built.code == 0
    assert built.json["questions"] == {"gender": 1}
    # nine topics got one and the same sentence: eight are doubles
    assert built.json["yields"]["disjointness"] == {"sentences in": 9, "refused": 8, "sentences out": 1}
    # nine lists; reasonability names the topic, the other two questions are the same nine times and are asked once
    assert len(server.received) == 9 + 9 + 1 + 1


@needs_flite
def test_real_speech_is_added_by_its_ids(aptone: Aptone) -> None:
    Path("MELD").mkdir()
    rows = [
        "Sr No.,Utterance,Speaker,Emotion,Dialogue_ID,Utterance_ID",
        "1,We got it!,Ross,joy,0,3",
        "2,Okay.,Ross,neutral,0,4",
    ]
    Path("MELD/test_sent_emo.csv").write_text("\n".join(rows), encoding="utf-8")
    built = aptone("build", "paras2s", "-o", "questions", *SHORT, "--meld", "MELD")
    assert built.code == 0
    assert "MELD: 1 lines, published are 781" in built.out
    assert "manifest.jsonl -o run/ --meld … --system …" in " ".join(built.out.split())
    assert Path("questions/meld-ids.txt").read_text(encoding="utf-8") == "test/dia0_utt3\n"
    last = json.loads(Path("questions/manifest.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert last["prompt"]["audio"] is None
    assert last["prompt"]["ids"] == {"release_id": "test/dia0_utt3"}


@needs_flite
def test_reference_clips_are_not_sent_away_unasked(aptone: Aptone) -> None:
    for name in ("kid", "other"):
        folder = Path("pool") / name
        folder.mkdir(parents=True)
        (folder / "a.wav").write_bytes(b"")
        (folder / "a.txt").write_text("Hello.", encoding="utf-8")
    libri = Path("libri/dev/1/2")
    libri.mkdir(parents=True)
    Path("libri/SPEAKERS.TXT").write_text("1 | F | dev | 1 | X\n", encoding="utf-8")
    (libri / "1-2-0000.flac").write_bytes(b"")
    (libri / "1-2.trans.txt").write_text("1-2-0000 HELLO\n", encoding="utf-8")
    cloning = ("--cloner", "cosyvoice", "--set", "cloner.base_url=http://far.example:9", "--set", "cloner.rate=22050")
    pools = ("--pool", "nnces=pool", "--pool", "librispeech=libri")
    shown = aptone("build", "paras2s", "-o", "questions", "--prompts", 1, "--dimension", "age", *cloning, *pools)
    assert shown.code == 2
    assert "recordings to far.example:9" in shown.err
