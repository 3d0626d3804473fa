"""Opus and MP3 files go into reports byte for byte."""

import base64
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.audio import encode_opus, from_array
from aptone.report import clips
from aptone.report.clips import ClipEmbedder
from aptone.report.playable import MOST_BYTES, MP3, OGG, playable_type, read_playable
from aptone.report.run_report import render_html
from aptone.report.trust import trust_card
from aptone.run.payload import Clip
from aptone.types import Audio, AudioRef, Entry, Item, Outcome, Score, State, to_json


def tone(hertz: float) -> Audio:
    return from_array(0.3 * np.sin(2 * np.pi * hertz * np.arange(4800) / 16000).astype(np.float32), rate=16000)


@pytest.fixture
def no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(audio: Audio) -> bytes:
        raise AssertionError("the encoder ran")

    monkeypatch.setattr(clips, "encode_vorbis", refuse)


def test_a_report_of_200_opus_clips_runs_no_encoder(tmp_path: Path, no_encoder: None) -> None:
    entries = []
    for number in range(200):
        path = tmp_path / f"{number}.opus"
        path.write_bytes(encode_opus(tone(200 + number)))
        payload = {"audio": to_json(AudioRef(str(path)))}
        score = Score(number / 40, range=(0.0, 5.0), higher_is_better=True)
        item = Item.make(f"{number}", payload, position=number)
        entries.append(Entry(item, Outcome(State.DONE, {"aptness": score})))
    page = render_html(entries, trust_card(entries, version="1"), {}, title="x", embed=100)
    assert page.count("data:audio/ogg;base64,") == clips.MOST_CLIPS
    assert base64.b64encode((tmp_path / "0.opus").read_bytes()).decode() in page
    room = ClipEmbedder(room=100_000_000)
    embedded = [room.embed(Clip("audio", AudioRef(str(tmp_path / f"{number}.opus")))) for number in range(200)]
    for number, clip in enumerate(embedded):
        assert base64.b64decode(clip.uri.partition(",")[2]) == (tmp_path / f"{number}.opus").read_bytes()
        assert clip.outline


def test_an_mp3_goes_in_as_it_is(tmp_path: Path, no_encoder: None) -> None:
    path = tmp_path / "clip.wav"  # by what it holds, not by its name
    soundfile.write(path, tone(200).samples, 16000, format="MP3")
    clip = ClipEmbedder(room=1_000_000).embed(Clip("audio", AudioRef(str(path))))
    head, _, data = clip.uri.partition(",")
    assert (head, base64.b64decode(data)) == ("data:audio/mpeg;base64", path.read_bytes())


def test_a_part_of_a_file_and_one_that_is_too_large_are_encoded(tmp_path: Path) -> None:
    path = tmp_path / "clip.opus"
    path.write_bytes(encode_opus(tone(200)))
    part = ClipEmbedder(room=1_000_000).embed(Clip("audio", AudioRef(str(path), start=0.1)))
    assert part.uri
    assert base64.b64decode(part.uri.partition(",")[2]) != path.read_bytes()
    assert read_playable(path, most=path.stat().st_size) == (path.read_bytes(), OGG)
    assert read_playable(path, most=path.stat().st_size - 1) is None
    padded = tmp_path / "padded.opus"
    padded.write_bytes(path.read_bytes() + bytes(MOST_BYTES))
    assert read_playable(padded, most=10 * MOST_BYTES) is None


def test_only_the_header_says_what_a_file_is() -> None:
    vorbis = b"OggS" + bytes(22) + bytes([1, 30]) + b"\x01vorbis"
    mpeg_frame = bytes([0xFF, 0xFB, 0x90, 0x00])  # MPEG 1, layer III, 128 kbit/s, 44.1 kHz
    layer_2, free_rate = bytes([0xFF, 0xFD, 0x90, 0x00]), bytes([0xFF, 0xFB, 0x00, 0x00])
    assert playable_type(mpeg_frame) == playable_type(b"ID3\x04\x00\x00\x00\x00\x02\x01") == MP3
    for other in (vorbis, layer_2, free_rate, b"ID3\x04\x00\x00\xff\xff\xff\xff", b"<html>", b"OggS", b"\xff"):
        assert playable_type(other) == ""
