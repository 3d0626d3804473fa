import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import probe, read
from aptone.ear.labelled_clips import read_labels
from aptone.errors import UsageError
from recipes.ear import synthetic_clips
from recipes.ear.naturalness_clips import SENTENCES
from recipes.ear.synthetic_clips import CLIPS, VOICES, make_synthetic

needs_machines = pytest.mark.skipif(
    not (shutil.which("espeak-ng") and shutil.which("flite")),
    reason="synthesisers are needed: apt install espeak-ng flite",
)


@needs_machines
def test_a_small_set_has_clips_of_both_machines_a_table_and_parts_that_share_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthetic_clips, "CLIPS", {"train": 4, "dev": 2})
    assert make_synthetic(tmp_path) == 6
    clips = read_labels(tmp_path / "synthetic")
    assert [clip.split for clip in clips] == ["train"] * 4 + ["dev"] * 2
    assert [clip.speaker.startswith("flite") for clip in clips] == [True, False, False, True, True, False]
    assert {clip.sex + clip.age + clip.emotion for clip in clips} == {""}
    by_part = [{(clip.speaker, clip.text) for clip in clips if clip.split == part} for part in ("train", "dev")]
    assert not by_part[0] & by_part[1]
    for clip in clips:
        assert probe(clip.path).rate == 16_000
        audio = read(clip.path, rate=16_000)
        assert audio.seconds > 0.5
        assert float(np.abs(audio.samples).max()) == pytest.approx(0.7, abs=0.15)  # Opus changes it a little


@needs_machines
def test_one_seed_gives_one_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_clips, "CLIPS", {"train": 2})
    tables = []
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        make_synthetic(tmp_path / name, seed=seed)
        tables.append((tmp_path / name / "synthetic" / "labels.csv").read_text(encoding="utf-8"))
    assert tables[0] == tables[1] != tables[2]


def test_voices_and_sentences_of_the_parts_differ() -> None:
    assert set(CLIPS) == set(VOICES)
    train, dev = VOICES["train"], VOICES["dev"]
    assert not set(train.flite) & set(dev.flite)
    assert not set(train.variants) & set(dev.variants)
    assert not set(range(*train.sentences)) & set(range(*dev.sentences))
    assert all(len(text.split("\n")[1:]) >= dev.sentences[1] for text in SENTENCES.values())


def test_a_synthesiser_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(command: list[str], **_: object) -> None:
        raise FileNotFoundError(command[0])

    monkeypatch.setattr(subprocess, "run", missing)
    with pytest.raises(UsageError, match=r"flite with the voice '\w+' fails \(flite\); install it from Debian"):
        make_synthetic(tmp_path)
