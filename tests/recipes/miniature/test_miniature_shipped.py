"""The miniature judge that comes with Aptone: small enough, free of torch, and of use."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aptone.audio import read
from aptone.errors import UsageError
from aptone.judge import MiniatureJudge
from aptone.run import Call
from aptone.types import AudioRef, Line, Outcome, Plan, Rhythm, Sample
from recipes.miniature import engine_network as miniature_network
from recipes.miniature.engine_network import FILES, LICENCE, PARAMETERS, SHIPPED, load_miniature

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
PLAN = Plan("grave", Rhythm.HEAVY, recording_condition="phone")
LINE = Line("Stay where you are. We will not come tonight.")

WITHOUT_TORCH = """
import sys
for name in ("torch", "transformers", "tokenizers", "onnx", "safetensors"):
    sys.modules[name] = None
import aptone
plan = {"emotion": "grave"}
outcome = aptone.score(sys.argv[1], line="Stay.", plan=plan, engine="miniature", planner="by-hand")
print(0.0 <= outcome.scores["aptness"].value <= 5.0)
"""


def test_it_takes_at_most_15_megabytes_and_says_its_size_and_licence() -> None:
    assert sum((SHIPPED / name).stat().st_size for name in FILES) <= 15_000_000
    settings = load_miniature(SHIPPED).settings
    assert (settings.licence, settings.parameters) == (LICENCE, PARAMETERS)
    assert LICENCE in MiniatureJudge().about.licence


def test_the_file_beside_the_weights_names_every_file_and_its_licence() -> None:
    text = (SHIPPED / "LICENCES.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert set(rows) == set(FILES)
    assert all("CC BY-NC-SA 4.0" in row for row in rows.values())


def test_it_runs_without_torch_transformers_and_their_kin() -> None:
    given = [sys.executable, "-c", WITHOUT_TORCH, str(CLIPS / "keeper-apt.opus")]
    ended = subprocess.run(given, capture_output=True, text=True, check=False)
    assert ended.stdout == "True\n", ended.stderr


def judged(clip: str, *, reasoning: bool = False) -> Outcome:
    audio = read(CLIPS / f"{clip}.opus", rate=16_000, channel="mix")
    return MiniatureJudge(reasoning=reasoning).judge(audio, PLAN, Sample("a", AudioRef("a"), LINE), Call())


def test_threads_share_one_network_and_get_the_scores_of_one() -> None:
    clips = ("keeper-apt", "keeper-wrong")
    alone = [judged(clip).scores["aptness"].value for clip in clips]
    with ThreadPoolExecutor(4) as threads:
        networks = set(map(id, threads.map(lambda _: load_miniature(), range(8))))
        together = [outcome.scores["aptness"].value for outcome in threads.map(judged, clips * 4)]
    assert len(networks) == 1
    assert together == alone * 4


def test_where_shipped_weights_are_missing_the_next_step_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(miniature_network, "FILES", ("lost.onnx",))
    with pytest.raises(UsageError, match=r"holds no lost\.onnx; install Aptone again"):
        MiniatureJudge()


def test_a_call_over_the_telephone_that_was_planned_is_above_one_that_is_none() -> None:
    apt, wrong = (judged(clip).scores["aptness"].value for clip in ("keeper-apt", "keeper-wrong"))
    assert apt > wrong + 1.0


def test_what_it_writes_names_the_aspects() -> None:
    outcome = judged("keeper-apt", reasoning=True)
    assert outcome.scores["recording_condition"].value == pytest.approx(5.0, abs=1.0)
    assert "phone" in outcome.rationale
    assert "<" not in outcome.rationale
