"""What an ear heard is kept as JSON, by ear, and comes back as it was."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import write
from aptone.ear.describe import Pitch, Rate
from aptone.types import Audio, Perception, Sex, to_json
from benchmarks import style_fit
from recipes.style import heard, known
from tests.recipes.style.tiny_styles import draw_style, perceived

HEAD = "file,speaker,sex,age,language,emotion,intensity,text,split"
SPLITS = ("train", "dev", "test")


@dataclass
class CountingEar:
    """Hears a style drawn at random in every clip, and no speech in a clip of less than 0.2 s."""

    signature: str = "ear:made|revision:1"
    clips: list[Audio] = field(default_factory=list)

    def perceive(self, audio: Audio) -> Perception:
        self.clips.append(audio)
        found = perceived(draw_style(np.random.default_rng(len(self.clips))))
        return replace(found, emotion={} if audio.samples.size < 3200 else found.emotion, signature=self.signature)


@pytest.fixture
def ear(monkeypatch: pytest.MonkeyPatch) -> CountingEar:
    """An ear in the place of the shipped one."""
    made = CountingEar()
    for module in (heard, known, style_fit):
        monkeypatch.setattr(module, "load_ear", lambda name: made)
    return made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A set of three clips, the last without speech."""
    folder = tmp_path / "data" / "ravdess"
    folder.mkdir(parents=True)
    for split, count in zip(SPLITS, (4000, 4000, 800), strict=True):
        write(folder / f"{split}.wav", Audio(np.full(count, 0.1), heard.RATE))
    rows = [f"{split}.wav,s-{split},female,,en,angry,,,{split}" for split in SPLITS]
    (folder / "labels.csv").write_text("\n".join([HEAD, *rows]), encoding="utf-8")
    return folder.parent


def records(found: Sequence[Perception]) -> list[object]:
    """JSON forms, in which undefined values are equal."""
    return [to_json(one) for one in found]


def test_clips_are_heard_once_by_every_ear_and_come_back_as_they_were(
    data: Path, tmp_path: Path, ear: CountingEar
) -> None:
    cache = tmp_path / "cache"
    first = heard.heard_clips(data, "ravdess", cache=cache, splits=("dev", "test"))
    assert [clip.split for clip, _ in first] == ["dev"]  # no speech in the other
    assert len(ear.clips) == 2
    every = heard.heard_clips(data, "ravdess", cache=cache)
    assert len(ear.clips) == 3
    again = heard.heard_clips(data, "ravdess", cache=cache)
    assert len(ear.clips) == 3
    assert [clip for clip, _ in again] == [clip for clip, _ in every]
    assert records([one for _, one in again]) == records([one for _, one in every])
    assert all(isinstance(sex, Sex) for _, one in again for sex in one.sex)
    (file,) = cache.iterdir()
    assert set(json.loads(file.read_text(encoding="utf-8"))) == {f"{split}.wav" for split in SPLITS}
    ear.signature = "ear:made|revision:2"
    heard.heard_clips(data, "ravdess", cache=cache)
    assert len(ear.clips) == 6


def test_known_distances_are_kept_by_ear(tmp_path: Path, ear: CountingEar, monkeypatch: pytest.MonkeyPatch) -> None:
    distances: known.Distances = {
        "pitch": {Pitch.LOW: [np.array([-1.25, -0.1]), np.array([])], Pitch.HIGH: [np.array([2.0 / 3.0])]},
        "rate": {Rate.VERY_SLOW: [np.array([-3.0])]},
    }
    measured = []

    def measure(data: Path, count: int) -> known.Distances:
        measured.append(count)
        return distances

    monkeypatch.setattr(known, "_measure", measure)
    for _ in range(2):
        found = known.known_distances(tmp_path, cache=tmp_path / "cache", count=7)
        assert {name: list(values) for name, values in found.items()} == {
            name: list(values) for name, values in distances.items()
        }
        for name, values in distances.items():
            for value, each in values.items():
                assert [one.tolist() for one in found[name][value]] == [one.tolist() for one in each]
                assert all(one.dtype == np.float64 for one in found[name][value])
    assert measured == [7]
    ear.signature = "ear:made|revision:2"
    known.known_distances(tmp_path, cache=tmp_path / "cache", count=7)
    assert measured == [7, 7]


def test_changed_clips_come_back_in_the_order_of_the_sets(tmp_path: Path, ear: CountingEar) -> None:
    clip = Audio(np.full(4000, 0.1), heard.RATE)
    changed: style_fit.Changed = {
        name: [("rate", Rate.SLOW, ear.perceive(clip)), ("pitch", Pitch.HIGH, ear.perceive(clip))]
        for name in style_fit.UNSEEN_SPEAKERS
    }
    cache = tmp_path / "cache"
    cache.mkdir()
    style_fit.write_changed(cache / f"changed-{heard.ear_mark()}-{style_fit.CHANGED}.json", changed)
    kept = style_fit.changed_clips(tmp_path, cache)
    assert list(kept) == list(changed)
    for name, each in changed.items():
        assert [one[:2] for one in kept[name]] == [one[:2] for one in each]
        assert isinstance(kept[name][0][1], Rate)
        assert records([one for *_, one in kept[name]]) == records([one for *_, one in each])
