"""Recordings from files, bytes, arrays, rows of datasets and decoders: the same sound from all of them."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

import aptone
from aptone.audio import AudioSource, from_array, read, read_audio, sources
from aptone.errors import AudioError, UsageError
from aptone.types import AudioRef
from tests.tables import for_each

RATE = 8_000


@pytest.fixture
def stereo(tmp_path: Path) -> Path:
    """Half a second; the right channel is a quarter of the left one."""
    left = 0.5 * np.sin(np.arange(RATE // 2) / 10)
    path = tmp_path / "stereo.wav"
    soundfile.write(path, np.stack([left, left / 4], axis=1), RATE, subtype="FLOAT")
    return path


@dataclass
class Samples:
    """What a decoder of torchcodec gives: channels × frames."""

    data: object
    sample_rate: int


@dataclass
class Metadata:
    path: str | None = None
    duration_seconds: float | None = None


@dataclass
class Decoder:
    """Stands in for `torchcodec.decoders.AudioDecoder`."""

    samples: Any
    metadata: Metadata = field(default_factory=Metadata)
    decoded: int = 0

    def get_all_samples(self) -> Any:
        self.decoded += 1
        return self.samples


class Tensor:
    """Stands in for a tensor on another device: it has to be brought here first."""

    def __init__(self, array: npt.NDArray[np.float32]) -> None:
        self._array = array

    def cpu(self) -> npt.NDArray[np.float32]:
        return self._array


def frames_first(path: Path) -> npt.NDArray[np.float32]:
    samples: npt.NDArray[np.float32] = soundfile.read(path, dtype="float32", always_2d=True)[0]
    return samples


FORMS: dict[str, Callable[[Path], AudioSource]] = {
    "path": lambda path: path,
    "text": str,
    "part": lambda path: AudioRef(str(path)),
    "bytes": lambda path: path.read_bytes(),
    "bytearray": lambda path: bytearray(path.read_bytes()),
    "memoryview": lambda path: memoryview(path.read_bytes()),
    "open file": lambda path: io.BytesIO(path.read_bytes()),
    "row with bytes": lambda path: {"bytes": path.read_bytes(), "path": "elsewhere.wav"},
    "row with bytes alone": lambda path: {"bytes": path.read_bytes(), "path": None},
    "row with a path": lambda path: {"bytes": None, "path": str(path)},
    "row with an array": lambda path: {"array": frames_first(path).T, "sampling_rate": RATE, "path": None},
    "decoder": lambda path: Decoder(Samples(frames_first(path).T, RATE)),
    "decoder on a device": lambda path: Decoder(Samples(Tensor(frames_first(path).T), RATE)),
}


@for_each("form", FORMS)
def test_every_form_holds_the_same_sound(stereo: Path, form: str) -> None:
    expected = read(stereo, rate=None, channel="mix")
    found = read_audio(FORMS[form](stereo), rate=None, channel="mix")
    assert (found.rate, found.samples.tolist()) == (RATE, expected.samples.tolist())
    right = read_audio(FORMS[form](stereo), rate=None, channel=1)
    assert right.samples.tolist() == read(stereo, rate=None, channel=1).samples.tolist()


@for_each("form", FORMS)
def test_every_form_is_resampled_and_refuses_several_channels_that_nobody_chose(stereo: Path, form: str) -> None:
    found = read_audio(FORMS[form](stereo), rate=16_000, channel=0)
    assert (found.rate, found.samples.size) == (16_000, 8_000)
    with pytest.raises(AudioError, match="expected one channel, got 2"):
        read_audio(FORMS[form](stereo), rate=None)


@for_each("form", [form for form in FORMS if form != "part"])
def test_a_part_of_every_form_is_the_same(stereo: Path, form: str) -> None:
    part = read_audio(FORMS[form](stereo), rate=None, channel=0, start=0.125, end=0.25)
    assert part.samples.tolist() == frames_first(stereo)[1_000:2_000, 0].tolist()  # 0.125 s · 8,000 Hz
    with pytest.raises(AudioError, match=r"lasts 0\.500 s"):
        read_audio(FORMS[form](stereo), rate=None, channel=0, end=0.6)
    with pytest.raises(AudioError, match=r"longer than 0\.4 s"):
        read_audio(FORMS[form](stereo), rate=None, channel=0, max_seconds=0.4)


def test_samples_come_with_their_rate() -> None:
    ramp = np.linspace(-0.5, 0.5, 800, dtype=np.float32)
    for samples in (ramp, ramp.tolist(), np.stack([ramp, ramp], axis=1)):
        found = read_audio(samples, rate=None, sample_rate=RATE, channel="mix")
        assert (found.rate, found.samples.tolist()) == (RATE, ramp.tolist())
    assert read_audio(ramp, rate=16_000, sample_rate=RATE).samples.size == 1_600
    assert read_audio(from_array(ramp, rate=RATE), rate=None).samples.tolist() == ramp.tolist()
    with pytest.raises(UsageError, match="samples need their rate"):
        read_audio(ramp, rate=16_000)


def test_a_tensor_is_an_array() -> None:
    torch = pytest.importorskip("torch")
    found = read_audio(torch.tensor([0.25, -0.5]), rate=None, sample_rate=RATE)
    assert found.samples.tolist() == [0.25, -0.5]


@for_each("form", FORMS)
def test_what_states_its_rate_takes_no_other(stereo: Path, form: str) -> None:
    with pytest.raises(UsageError, match="a recording knows its own rate"):
        read_audio(FORMS[form](stereo), rate=None, sample_rate=16_000, channel="mix")


def test_an_open_file_is_read_from_where_it_is_and_named(stereo: Path) -> None:
    with stereo.open("rb") as file:
        assert read_audio(file, rate=None, channel="mix").source == str(stereo)
        with pytest.raises(AudioError, match=r"stereo\.wav: the file is empty"):  # it was read to its end
            read_audio(file, rate=None)


def test_a_row_names_its_recording(stereo: Path) -> None:
    for row in ({"bytes": b"nonsense", "path": "a.wav"}, {"array": [np.nan], "sampling_rate": RATE, "path": "a.wav"}):
        with pytest.raises(AudioError, match=r"^a\.wav: "):
            read_audio(row, rate=None)


def test_rows_of_a_dataset_are_taken_as_they_come(stereo: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = {"audio": [{"bytes": stereo.read_bytes(), "path": "a.wav"}, {"bytes": None, "path": str(stereo)}]}
    made = datasets.Dataset.from_dict(rows).cast_column("audio", datasets.Audio(decode=False))
    assert len(made) == 2
    for row in made:
        assert read_audio(row["audio"], rate=None, channel=0).samples.size == RATE // 2


def test_a_decoder_that_states_too_long_a_duration_is_not_asked_to_decode() -> None:
    decoder = Decoder(Samples(np.zeros((1, 8), np.float32), RATE), Metadata("a.opus", duration_seconds=301.0))
    with pytest.raises(AudioError, match=r"a\.opus: the clip is longer than 300 s"):
        read_audio(decoder, rate=None, max_seconds=300.0)
    assert decoder.decoded == 0


class Text:
    def read(self, size: int = -1) -> str:
        return "words"


class Broken:
    name = "pipe"

    def read(self, size: int = -1) -> bytes:
        raise OSError(5, "Input/output error")


@for_each(
    ("source", "kind", "words"),
    [
        (None, UsageError, "a recording is a path, the bytes of a file, .* or an audio decoder; got NoneType"),
        (7, UsageError, "got int"),
        (object(), UsageError, "got object"),
        (Text(), UsageError, "reading gave str; open the file in binary mode"),
        (io.StringIO("words"), UsageError, "reading gave str"),
        (Broken(), AudioError, r"pipe: cannot be read \(Input/output error\)"),
        (b"", AudioError, "bytes: the file is empty"),
        (b"hello", AudioError, "bytes: "),
        ({}, UsageError, 'expected "bytes", "path" or "array" with a recording, got these keys: -'),
        ({"bytes": None, "path": None}, UsageError, "got these keys: bytes, path"),
        ({"bytes": "text", "path": None}, UsageError, '"bytes" holds the bytes of a file, got str'),
        ({"bytes": b"x", "path": 7}, UsageError, "the path of a recording is text, got int"),
        ({"array": np.zeros(8)}, UsageError, 'needs its "sampling_rate"'),
        ({"array": np.zeros((8, 100)), "sampling_rate": 8_000}, AudioError, "expected one channel, got 8"),
        ({"array": np.zeros((800, 2)), "sampling_rate": 8_000}, AudioError, "expected 1 to 64 channels, got 800"),
        (Decoder(object()), UsageError, "the decoder gave object; expected samples with data and sample_rate"),
        (Decoder(Samples(np.zeros((1, 0)), 8_000)), AudioError, "decoder: no samples"),
    ],
)
def test_what_is_no_recording_is_refused_by_what_came(source: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        read_audio(source, rate=None)


def test_an_open_file_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 100)
    with pytest.raises(AudioError, match="file: more than 100 bytes"):
        read_audio(io.BytesIO(b"RIFF" + bytes(200)), rate=None)


def test_a_part_of_a_part_is_refused(stereo: Path) -> None:
    with pytest.raises(UsageError, match="a part of a file already"):
        read_audio(AudioRef(str(stereo), 0.1, 0.2), rate=None, start=0.1)


CLIP = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "wall-apt.opus"
LINE = {"line": "Get out!", "plan": {"emotion": "fear"}}


def in_memory() -> dict[str, AudioSource]:
    audio = read(CLIP, rate=16_000, channel="mix")
    return {
        "bytes": CLIP.read_bytes(),
        "open file": io.BytesIO(CLIP.read_bytes()),
        "row": {"bytes": CLIP.read_bytes(), "path": None},
        "array": {"array": audio.samples, "sampling_rate": 16_000},
        "decoder": Decoder(Samples(audio.samples[np.newaxis], 16_000)),
    }


def heard(source: AudioSource) -> list[Any]:
    """What everything in Python that takes a recording says of one."""
    ranked = aptone.rank([source], **LINE)  # type: ignore[arg-type]
    if isinstance(source, io.BytesIO):
        source = source.getvalue()
    return [
        aptone.score(source, **LINE).scores,  # type: ignore[arg-type]
        aptone.hear(source),
        ranked.best[0].scores,
        aptone.caption(source, "A frightened man shouts.").scores,
    ]


@pytest.mark.slow
def test_score_hear_rank_and_caption_take_what_is_in_memory_and_say_the_same_as_of_a_file() -> None:
    expected = heard(CLIP)
    for name, source in in_memory().items():
        assert heard(source) == expected, name


@pytest.mark.slow
def test_style_takes_what_is_in_memory() -> None:
    own = read(CLIP, rate=None, channel="mix")
    expected = aptone.style(CLIP, "a frightened shout")
    for source in (CLIP.read_bytes(), {"array": own.samples, "sampling_rate": own.rate}, own):
        assert aptone.style(source, "a frightened shout") == expected
    assert aptone.style(own.samples, "a frightened shout", rate=own.rate) == expected
    with pytest.raises(AudioError, match=r"longer than 120 s"):
        aptone.style({"array": np.zeros(121 * RATE), "sampling_rate": RATE}, "calm")
