from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.rooms.caption.parts import make_step
from aptone.rooms.caption.step import NOBODY_SPEAKS
from aptone.types import State
from tests.rooms.caption.caption_parts import TONE

CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


def test_a_caption_of_a_file_is_judged_in_one_call() -> None:
    outcome = aptone.caption(CLIP, "A man speaks.", "A woman speaks slowly.")
    assert outcome.state is State.DONE
    assert outcome.scores["s_p"].value == 1.0  # the keeper of the example is a man
    assert outcome.scores["s_r"].value == pytest.approx(1 / 3)  # (0 + 1) / (2 + 1)


def test_samples_need_their_rate() -> None:
    assert aptone.caption(TONE, "Hm.").state is State.UNSCORED
    assert aptone.caption(np.zeros(8000), "A man speaks.", rate=16_000).reason == NOBODY_SPEAKS
    with pytest.raises(aptone.UsageError, match="rate"):
        aptone.caption(np.zeros(8000), "A man speaks.")


def test_models_on_this_machine_are_made_without_loading_them(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_audio"}', encoding="utf-8")
    step = make_step("local", settings={"reader.model": "reads", "verifier.model": str(tmp_path)})
    assert "local-chat" in step.decomposer.signature
    assert "local-audio-chat" in step.verifier.signature
    assert step.matcher.signature.count("reads") == 1
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_5_omni"}', encoding="utf-8")
    assert "omni" in make_step(verifier="local", settings={"verifier.model": str(tmp_path)}).verifier.signature


def test_where_nobody_speaks_a_caption_has_no_score_rather_than_0() -> None:
    silence = aptone.Audio(np.zeros(32_000, dtype=np.float32), 16_000)
    outcome = aptone.caption(silence, "An angry man.")
    assert outcome.state is State.UNSCORED
    assert outcome.reason == NOBODY_SPEAKS
    assert "undecided" in str(outcome.evidence["units"])
