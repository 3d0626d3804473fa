"""A folder by how it sounds: what is found, and what is embedded again."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import aptone.rooms.style.search as searching
from aptone.audio import SpeechPiece, write
from aptone.errors import RunError, UsageError
from aptone.rooms.style.api import search
from aptone.rooms.style.search import StyleIndex, best_places
from aptone.run import Silent, Tally
from aptone.types import Audio
from tests.rooms.style.voices import RATE, ToneEmbedder, tone, write_tone


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    write_tone(folder / "low.wav", 100.0)
    write_tone(folder / "deep" / "middle.wav", 400.0)
    write_tone(folder / "high.wav", 1600.0)
    return folder


def test_the_best_come_first_with_their_cosine(clips: Path) -> None:
    found = search(clips, "a low voice", model=ToneEmbedder(), top=2)
    assert [one.path for one in found] == ["low.wav", "deep/middle.wav"]
    assert found[0].cosine == pytest.approx(1.0)
    assert found[1].cosine == pytest.approx(np.cos(np.pi / 4), abs=1e-3)
    assert not found[0].fit.is_defined
    assert found[0].fit.reason


def test_only_what_is_new_is_embedded(clips: Path) -> None:
    first = StyleIndex(clips, ToneEmbedder()).update()
    assert (first.clips, first.embedded) == (3, 3)
    write_tone(clips / "new.wav", 200.0)
    (clips / "copy.wav").write_bytes((clips / "low.wav").read_bytes())  # the same sound has its vector already
    (clips / "high.wav").unlink()
    second = StyleIndex(clips, ToneEmbedder()).update()
    assert (second.clips, second.embedded) == (4, 1)
    untouched = StyleIndex(clips, ToneEmbedder())
    assert untouched.update().embedded == 0


def test_a_file_that_did_not_change_is_not_read_again(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StyleIndex(clips, ToneEmbedder()).update()

    def refuse(path: Path) -> str:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(searching, "file_hash", refuse)
    index = StyleIndex(clips, ToneEmbedder())
    index.update()
    assert len(index.search("high")) == 3


def test_a_file_that_changed_is_embedded_again(clips: Path) -> None:
    StyleIndex(clips, ToneEmbedder()).update()
    write_tone(clips / "low.wav", 1600.0)
    os.utime(clips / "low.wav", ns=(1, 1))
    index = StyleIndex(clips, ToneEmbedder())
    index.update()
    assert {one.path for one in index.search("high", top=2)} == {"low.wav", "high.wav"}


def test_what_cannot_be_read_or_heard_is_told_and_left_out(clips: Path) -> None:
    (clips / "broken.wav").write_bytes(b"RIFF nothing")
    write(clips / "silent.wav", Audio(np.zeros(RATE, dtype=np.float32), RATE))
    index = StyleIndex(clips, ToneEmbedder())
    updated = index.update()
    assert (updated.clips, updated.embedded) == (3, 3)  # of five files, two of which cannot be found
    assert set(updated.problems) == {"broken.wav", "silent.wav"}
    assert updated.problems["silent.wav"] == "no voice can be heard in the clip"
    assert len(index.search("low", top=10)) == 3


def test_hidden_folders_links_and_other_files_are_not_clips(clips: Path) -> None:
    write_tone(clips / ".hidden" / "x.wav", 100.0)
    (clips / "link.wav").symlink_to(clips / "low.wav")
    (clips / "notes.txt").write_text("low", encoding="utf-8")
    assert StyleIndex(clips, ToneEmbedder()).count_files() == 3


def test_a_damaged_list_of_files_is_made_anew(clips: Path) -> None:
    StyleIndex(clips, ToneEmbedder()).update()
    listed = clips / ".aptone" / "files.json"
    whole = json.loads(listed.read_text(encoding="utf-8"))
    spans = ([5, 1], [5, 10**400], [5, True])
    strange = [json.dumps({"low.wav": [1, 2, "x", [span]]}) for span in spans]
    for damaged in ("{", "[]", json.dumps({**whole, "low.wav": [1]}), *strange):
        listed.write_text(damaged, encoding="utf-8")
        again = StyleIndex(clips, ToneEmbedder()).update()
        assert (again.clips, again.embedded) == (3, 0)
    assert json.loads(listed.read_text(encoding="utf-8")) == whole


def test_a_long_recording_is_found_by_its_part(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = np.concatenate([tone(100.0, seconds=2.0).samples, tone(1600.0, seconds=2.0).samples])
    write(clips / "long.wav", Audio(both, RATE))
    monkeypatch.setattr(searching, "LONGEST_PIECE", 3.0)

    pieces = [SpeechPiece(tone(100.0, seconds=2.0), start, ()) for start in (0.0, 2.0)]
    monkeypatch.setattr(searching, "speech_pieces", lambda path, **options: pieces)
    index = StyleIndex(clips, ToneEmbedder())
    assert index.update().clips == 5
    highest = [one for one in index.search("high", top=2) if one.path == "long.wav"]
    assert [(one.audio.start, one.audio.end) for one in highest] == [(2.0, 3.999)]


def test_a_long_recording_with_a_silent_part_is_no_problem_but_one_that_is_silent_throughout_is(
    clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silence = np.zeros(2 * RATE, dtype=np.float32)
    write(clips / "half.wav", Audio(np.concatenate([tone(100.0, seconds=2.0).samples, silence]), RATE))
    write(clips / "silent.wav", Audio(np.concatenate([silence, silence]), RATE))
    monkeypatch.setattr(searching, "LONGEST_PIECE", 3.0)
    pieces = [SpeechPiece(tone(100.0, seconds=2.0), start, ()) for start in (0.0, 2.0)]
    monkeypatch.setattr(searching, "speech_pieces", lambda path, **options: pieces)
    updated = StyleIndex(clips, ToneEmbedder()).update()
    assert updated.clips == 3 + 1  # three tones, and the half that sounds
    assert list(updated.problems) == ["silent.wav"]


def test_the_index_may_lie_elsewhere(clips: Path, tmp_path: Path) -> None:
    StyleIndex(clips, ToneEmbedder(), place=tmp_path / "index").update()
    assert not (clips / ".aptone").exists()
    assert StyleIndex(clips, ToneEmbedder(), place=tmp_path / "index").update().embedded == 0


def test_a_kill_costs_at_most_one_batch(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "AT_ONCE", 1)
    embedder = ToneEmbedder()
    calls = iter([True, True, False])

    def killed(clips: list[Audio]) -> object:
        if not next(calls):
            raise KeyboardInterrupt
        return ToneEmbedder().embed_audio(clips)

    monkeypatch.setattr(embedder, "embed_audio", killed)
    with pytest.raises(KeyboardInterrupt):
        StyleIndex(clips, embedder).update()
    assert StyleIndex(clips, ToneEmbedder()).update().embedded == 1


def test_what_cannot_be_searched_is_refused(clips: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        StyleIndex(tmp_path / "nowhere", ToneEmbedder())
    index = StyleIndex(clips, ToneEmbedder())
    index.update()
    with pytest.raises(UsageError, match="empty"):
        index.search("  ")
    with pytest.raises(UsageError, match="1 clip or more"):
        index.search("low", top=0)


@given(some.lists(some.floats(-1, 1, width=32), max_size=30), some.integers(1, 12))
def test_the_best_places_are_those_of_a_full_sort(values: list[float], top: int) -> None:
    expected = sorted(range(len(values)), key=lambda place: (-values[place], place))[:top]
    assert best_places(np.array(values, dtype=np.float32), top=top) == expected


def test_a_description_that_cannot_be_used_is_refused_before_clips_are_embedded(clips: Path) -> None:
    for description, why in (("", "is empty"), ("???", "knows none of the words")):
        embedder = ToneEmbedder()
        with pytest.raises(UsageError, match=why):
            search(clips, description, model=embedder)
        assert embedder.heard == []


class Watched(Silent):
    def start(self, tally: Tally) -> None:
        self.ahead = (tally.before, tally.total)

    def stop(self, tally: Tally) -> None:
        self.done = tally.now


def test_progress_counts_what_an_earlier_search_has_indexed(clips: Path) -> None:
    shown = Watched()
    StyleIndex(clips, ToneEmbedder()).update(shown)
    assert (shown.ahead, shown.done) == ((0, 3), 3)
    write_tone(clips / "new.wav", 200.0)
    StyleIndex(clips, ToneEmbedder()).update(shown)
    assert (shown.ahead, shown.done) == ((3, 4), 1)

    other = ToneEmbedder()
    other.signature = "other tones"  # the files are known, but none has a vector of this embedder
    StyleIndex(clips, other).update(shown)
    assert (shown.ahead, shown.done) == ((0, 4), 4)


def test_a_file_in_place_of_a_folder_is_led_to_the_verb_for_clips(clips: Path) -> None:
    with pytest.raises(UsageError, match=r"aptone style .*low\.wav"):
        StyleIndex(clips / "low.wav", ToneEmbedder())


def test_a_place_that_cannot_hold_the_index_is_told_before_clips_are_embedded(clips: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    embedder = ToneEmbedder()
    with pytest.raises(RunError, match="--index FOLDER"):
        StyleIndex(clips, embedder, place=tmp_path / "taken" / "index").update()
    assert embedder.heard == []


def test_a_folder_without_recordings_is_left_as_it_is(tmp_path: Path) -> None:
    assert StyleIndex(tmp_path, ToneEmbedder()).update().clips == 0
    assert list(tmp_path.iterdir()) == []
