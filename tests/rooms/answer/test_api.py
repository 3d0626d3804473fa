"""One answer in one call."""

from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.audio import write
from aptone.ear import perceive
from aptone.rooms.answer import step as bench
from aptone.rooms.answer.parts import make_step
from aptone.types import Audio, State
from tests.rooms.answer.answer_parts import ENGLISH, WORDS

QUESTION = "Where is my parcel?"


def test_an_answer_of_known_words_is_judged_without_listening_to_the_question() -> None:
    outcome = aptone.answer(None, ENGLISH, style="angry", text=QUESTION, answer_text=WORDS)
    assert outcome.state is State.DONE
    assert 1.0 <= outcome.scores["fitness"].value <= 5.0
    assert outcome.scores["fitness"].range == (1.0, 5.0)


def test_samples_need_their_rate_and_silence_is_unscored() -> None:
    silent = aptone.answer(None, np.zeros(16_000), style="sad", text=QUESTION, answer_text=WORDS, rate=16_000)
    assert (silent.state, silent.reason) == (State.UNSCORED, "no speech can be heard in the answer")
    with pytest.raises(aptone.UsageError, match="rate"):
        aptone.answer(None, np.zeros(16_000), style="sad", text=QUESTION, answer_text=WORDS)


def test_a_file_that_is_far_too_long_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "endless.wav"
    write(path, Audio(np.zeros(121 * 8_000, np.float32), rate=8_000))

    def refuse(*_: object, **__: object) -> Audio:
        raise AssertionError("it was decoded")

    monkeypatch.setattr(bench, "read_ref", refuse)
    monkeypatch.setattr(perceive, "read_audio", refuse)
    endless = aptone.answer(None, path, style="angry", text=QUESTION, answer_text=WORDS)
    assert (endless.state, "lasts 121 s" in endless.reason) == (State.UNSCORED, True)


def test_a_file_knows_its_rate_and_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(aptone.UsageError, match="knows its own rate"):
        aptone.answer(None, ENGLISH, style="angry", text=QUESTION, answer_text=WORDS, rate=16_000)
    with pytest.raises(aptone.AptoneError, match=r"nothing\.wav"):
        aptone.answer(None, tmp_path / "nothing.wav", style="angry", text=QUESTION, answer_text=WORDS)


def test_what_was_asked_has_to_be_known() -> None:
    with pytest.raises(aptone.UsageError, match="what was asked"):
        aptone.answer(None, ENGLISH, style="angry", answer_text=WORDS)
    with pytest.raises(aptone.UsageError, match="expected one of happy, surprised"):
        aptone.answer(None, ENGLISH, style="moody", text=QUESTION, answer_text=WORDS)


def test_models_on_this_machine_are_made_without_loading_them(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_audio"}', encoding="utf-8")
    settings = {"judge.model": "reads", "listener.model": str(tmp_path)}
    step = make_step("local", listener="local", settings=settings, needs_words=False)
    assert "reads" in step.judge.signature
    assert "local-audio-chat" in step.listener.signature
    assert step.transcriber is None
