"""Clips of graded naturalness: people, degraded recordings of people, and synthesisers.

The three parts share no speaker, no synthetic voice and no sentence. The folder holds `clips.jsonl` (one line a clip)
and `clips/`.
"""

import csv
import json
import math
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import fft

from aptone.audio import NoiseKind, add_noise, clip, drop_outs, far_field, read, telephone_band, telephone_codec, write
from aptone.errors import RecordError, UsageError
from aptone.types import Audio
from recipes.ear.data import SPEECH_SETS

RATE = 16_000
HUMAN, DEGRADED, SYNTHESISED = "human", "degraded", "synthesised"
KINDS = (HUMAN, DEGRADED, SYNTHESISED)
MACHINES = ("flite", "espeak-ng")
"""Synthesisers, in the place of a set for clips that no person has spoken. Both are free for any use."""
MADE_SEED = 20_260_719

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Part:
    """Composition of a part.

    Args:
        people: clips of people from every set.
        damaged: number of degraded versions of each of them.
        spoken: clips by each of the two synthesisers.
        rebuilt: clips of people that are resynthesised, from every set.
        played: largest number of further clips of EmoDB that were played to listeners.
        flite: voices of flite.
        variants: voice variants of espeak-ng.
        sentences: range of `SENTENCES`.
    """

    people: int
    damaged: int
    spoken: int
    rebuilt: int
    played: int
    flite: tuple[str, ...]
    variants: tuple[str, ...]
    sentences: tuple[int, int]


PARTS: Mapping[str, Part] = {
    "train": Part(38, 2, 56, 10, 1000, ("kal16", "slt"), ("", "+m1", "+m3", "+f2"), (0, 6)),
    "dev": Part(14, 1, 16, 3, 1000, ("rms",), ("+m5", "+f3"), (6, 8)),
    "test": Part(18, 1, 24, 5, 0, ("awb",), ("+m7", "+f4", "+f5"), (8, 12)),
}
CODECS = ("mu-law", "a-law", "adpcm", "opus", "mp3", "g722", "g723")
"""Codecs without GSM and AMR, which are reserved for the test of recording conditions."""
NOISES: tuple[NoiseKind, ...] = ("white", "pink", "babble")

SENTENCES = {
    "en-us": """
        The train leaves at seven and nobody told the driver.
        I put the letter under the blue book, where you always look.
        Have you ever seen so many birds on one roof?
        If it rains tomorrow, we will simply stay at home.
        She opened the window and listened to the street below.
        Please tell your brother that his coat is still here.
        The old clock in the hall has stopped again.
        Who would leave a bicycle in the middle of the kitchen?
        My neighbour grows tomatoes on her balcony every summer.
        Nothing in this shop costs less than ten pounds.
        Why did you not call me when the doctor came?
        After lunch he fell asleep in front of the fire.""",
    "de": """
        Der Zug fährt um sieben, und keiner hat es ihm gesagt.
        Ich habe den Brief unter das blaue Buch gelegt.
        Hast du jemals so viele Vögel auf einem Dach gesehen?
        Wenn es morgen regnet, bleiben wir einfach zu Hause.
        Sie öffnete das Fenster und horchte auf die Straße.
        Sag deinem Bruder bitte, dass sein Mantel noch hier hängt.
        Die alte Uhr im Flur ist wieder stehen geblieben.
        Wer stellt denn ein Fahrrad mitten in die Küche?
        Meine Nachbarin zieht jeden Sommer Tomaten auf dem Balkon.
        In diesem Laden kostet nichts weniger als zehn Euro.
        Warum hast du nicht angerufen, als der Arzt kam?
        Nach dem Essen schlief er vor dem Kamin ein.""",
    "pl": """
        Pociąg odjeżdża o siódmej i nikt mu o tym nie powiedział.
        Położyłam list pod niebieską książką, tam gdzie zawsze.
        Widziałeś kiedyś tyle ptaków na jednym dachu?
        Jeśli jutro będzie padać, po prostu zostaniemy w domu.
        Otworzyła okno i słuchała, co dzieje się na ulicy.
        Powiedz bratu, że jego płaszcz nadal tu wisi.
        Stary zegar w korytarzu znowu stanął.
        Kto zostawia rower na środku kuchni?
        Moja sąsiadka co roku hoduje pomidory na balkonie.
        W tym sklepie nic nie kosztuje mniej niż dziesięć złotych.
        Dlaczego nie zadzwoniłeś, kiedy przyszedł lekarz?
        Po obiedzie zasnął w fotelu przed kominkiem.""",
    "cmn-latn-pinyin": """
        huo3 che1 qi1 dian3 chu1 fa1, mei2 you3 ren2 gao4 su4 si1 ji1.
        wo3 ba3 xin4 fang4 zai4 lan2 se4 de5 shu1 xia4 mian4 le5.
        ni3 jian4 guo4 wu1 ding3 shang4 you3 zhe4 me5 duo1 niao3 ma5?
        ru2 guo3 ming2 tian1 xia4 yu3, wo3 men5 jiu4 dai1 zai4 jia1 li3.
        ta1 da3 kai1 chuang1 hu5, ting1 zhe5 jie1 shang4 de5 sheng1 yin1.
        qing3 gao4 su4 ni3 di4 di5, ta1 de5 wai4 tao4 hai2 zai4 zhe4 li3.
        zou3 lang2 li3 de5 jiu4 zhong1 you4 ting2 le5.
        shei2 ba3 zi4 xing2 che1 fang4 zai4 chu2 fang2 zhong1 jian1?
        wo3 de5 lin2 ju1 mei3 nian2 xia4 tian1 dou1 zhong4 xi1 hong2 shi4.
        zhe4 jia1 dian4 li3 mei2 you3 shi2 kuai4 qian2 yi3 xia4 de5 dong1 xi5.
        yi1 sheng1 lai2 de5 shi2 hou5, ni3 wei4 shen2 me5 mei2 da3 dian4 hua4?
        chi1 guo4 wu3 fan4, ta1 zai4 huo3 lu2 qian2 shui4 zhao2 le5.""",
}
"""Sentences by voice of espeak-ng. Mandarin is in Pinyin: espeak-ng 1.51 reads characters wrongly."""


@dataclass(frozen=True, slots=True)
class Item:
    """One clip of the folder.

    Args:
        id: unique id.
        path: path relative to the folder.
        part: ``train``, ``dev`` or ``test``.
        kind: ``human``, ``degraded`` or ``synthesised``.
        how: degradation, or synthetic voice.
        set: source set, or synthesiser.
        emodb_file: file in EmoDB of an unchanged clip; else empty.
        listeners: share of EmoDB's listeners who found it natural; NaN for an unrated clip.
    """

    id: str
    path: str
    part: str
    kind: str
    how: str
    set: str
    emodb_file: str = ""
    listeners: float = math.nan


@dataclass(frozen=True, slots=True)
class Made:
    """A clip before it is written, with its labels."""

    kind: str
    how: str
    set: str
    audio: Audio
    emodb_file: str = ""


def emodb_listeners(data: Path) -> dict[str, float]:
    """Return the share of 20 listeners who found each clip natural, from EmoDB's perception test.

    ``erkennung.txt`` is a table in Latin-1 with decimal commas, in percent: number, file, recognised, natural.

    Raises:
        RecordError: if a line has another form.
    """
    path = data / "emodb" / "erkennung.txt"
    shares = {}
    for line in path.read_text(encoding="latin-1").splitlines()[1:]:
        fields = [field.strip(" \xa0") for field in line.split("\t")]
        if not any(fields):
            continue
        try:
            shares[Path(fields[1]).with_suffix(".ogg").name] = float(fields[3].replace(",", ".")) / 100
        except (IndexError, ValueError) as error:
            raise RecordError(f"{path}: expected number, file and two percentages, got {line!r}.") from error
    return shares


def spread(rows: Sequence[Mapping[str, str]], count: int, *, generator: np.random.Generator) -> list[Mapping[str, str]]:
    """Return some rows of a set, spread evenly over speakers and emotions."""
    left = [rows[place] for place in generator.permutation(len(rows))]
    seen: Counter[str] = Counter()
    chosen = []
    for _ in range(min(count, len(left))):
        place = min(range(len(left)), key=lambda i: seen[left[i]["speaker"]] + seen[left[i]["emotion"]])
        row = left.pop(place)
        seen.update((row["speaker"], row["emotion"]))
        chosen.append(row)
    return chosen


def made_clips(data: Path, part: str, *, seed: int) -> Iterator[Made]:
    """Yield all clips of a part: people, also degraded and resynthesised, synthesisers, and the rest of EmoDB.

    Raises:
        UsageError: if a set, or one of the two synthesisers, is missing.
    """
    plan = PARTS[part]
    generator = np.random.default_rng([seed, list(PARTS).index(part)])
    taken = set()
    for name in sorted(SPEECH_SETS):
        for number, row in enumerate(spread(labels(data, name, part), plan.people, generator=generator)):
            audio = read(data / name / row["file"], rate=RATE)
            file = row["file"] if name == "emodb" else ""
            taken.add(file)
            yield Made(HUMAN, "as it is", name, audio, emodb_file=file)
            for time in range(plan.damaged):
                how, worse = damaged(audio, way=number * plan.damaged + time, generator=generator)
                yield Made(DEGRADED, how, name, worse)
            if number < plan.rebuilt:
                yield Made(SYNTHESISED, "rebuilt", name, rebuilt(audio, generator=generator))
    for machine in MACHINES:
        for number in range(plan.spoken):
            voice, audio = spoken(machine, number, plan, generator=generator)
            if number % 4 == 3:
                how, audio = damaged(audio, way=number // 4, generator=generator)
                voice = f"{voice}, {how}"
            yield Made(SYNTHESISED, voice, machine, audio)
    further = [row["file"] for row in labels(data, "emodb", part) if row["file"] not in taken]
    for file in further[: plan.played]:
        yield Made(HUMAN, "as it is", "emodb", read(data / "emodb" / file, rate=RATE), emodb_file=file)


def labels(data: Path, name: str, part: str) -> list[dict[str, str]]:
    """Return the rows of a set's table that belong to a part.

    Raises:
        UsageError: if there is no table.
    """
    table = data / name / "labels.csv"
    if not table.is_file():
        raise UsageError(f"{table}: no such file; the data folder holds a folder for each set, with a labels.csv.")
    with table.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["split"] == part]


def damaged(audio: Audio, *, way: int, generator: np.random.Generator) -> tuple[str, Audio]:
    """Apply one of five degradations, in turn: a call, a room, a bad network, noise, an overdriven microphone."""
    match way % 5:
        case 0:
            codec = str(generator.choice(CODECS))
            banded = bool(generator.integers(2))
            return f"codec {codec}", telephone_codec(telephone_band(audio) if banded else audio, codec=codec)
        case 1:
            return "room", across_a_room(audio, generator=generator)
        case 2:
            share, packet = float(generator.uniform(0.03, 0.3)), float(generator.choice((0.01, 0.02, 0.03, 0.04)))
            return "drop-outs", drop_outs(audio, share=share, packet_seconds=packet, seed=generator)
        case 3:
            kind = NOISES[int(generator.integers(len(NOISES)))]
            return f"{kind} noise", add_noise(audio, snr_db=float(generator.uniform(0, 25)), seed=generator, kind=kind)
        case _:
            peak = max(float(np.abs(audio.samples).max()), 1e-6)
            return "clipping", clip(audio, level=peak * float(generator.uniform(0.03, 0.3)))


def across_a_room(audio: Audio, *, generator: np.random.Generator) -> Audio:
    """Place the clip 1 to 5 m away in a random room; sampled again if distance, size and echo do not fit together."""
    for _ in range(100):
        length, width, height = (float(generator.uniform(*sides)) for sides in ((3, 11), (3, 8), (2.3, 3.6)))
        rt60, distance = float(generator.uniform(0.2, 1.2)), float(generator.uniform(1, 5))
        try:
            return far_field(audio, rt60=rt60, distance=distance, seed=generator, room=(length, width, height))
        except UsageError:
            continue
    raise UsageError("no room was found in a hundred draws; make the ranges of the rooms wider.")


def rebuilt(audio: Audio, *, generator: np.random.Generator) -> Audio:
    """Resynthesise the clip from 40 mel bands, with phases estimated in ten iterations (Griffin & Lim 1984)."""
    size, hop = 512, 128
    window = np.hanning(size + 1)[:-1]
    padded = np.pad(audio.samples.astype(np.float64), (size, size + hop))
    starts = np.arange(0, padded.size - size, hop)
    weight = np.zeros(padded.size)
    for start in starts:
        weight[start : start + size] += window**2

    def forward(samples: Floats) -> npt.NDArray[np.complex128]:
        spectra: npt.NDArray[np.complex128] = fft.rfft(samples[starts[:, None] + np.arange(size)] * window)
        return spectra

    def backward(spectra: npt.NDArray[np.complex128]) -> Floats:
        samples = np.zeros(padded.size)
        for start, frame in zip(starts, fft.irfft(spectra) * window, strict=True):
            samples[start : start + size] += frame
        return samples / np.maximum(weight, 1e-3)

    bands = mel_bands(40, size=size)
    given = forward(padded)
    magnitude = np.maximum((np.abs(given) @ bands.T) @ np.linalg.pinv(bands).T, 0)
    spectra = magnitude * np.exp(2j * np.pi * generator.random(magnitude.shape))
    for _ in range(10):
        spectra = magnitude * np.exp(1j * np.angle(forward(backward(spectra))))
    samples = backward(spectra)[size : size + audio.samples.size]
    return Audio(samples.astype(np.float32), rate=audio.rate, source=audio.source)


def mel_bands(count: int, *, size: int) -> Floats:
    """Return triangular filters that overlap by half, equally wide on the mel scale, [count, size / 2 + 1]."""
    highest = 2595 * math.log10(1 + RATE / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, highest, count + 2) / 2595) - 1)
    hertz = np.arange(size // 2 + 1) * RATE / size
    rise = (hertz - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - hertz) / np.diff(edges)[1:, None]
    return np.maximum(np.minimum(rise, fall), 0)


def spoken(machine: str, number: int, plan: Part, *, generator: np.random.Generator) -> tuple[str, Audio]:
    """Synthesise a sentence at a random speed and pitch, with the silence and the hiss of a recording around it.

    Raises:
        UsageError: if the synthesiser is not installed or fails.
    """
    first, last = plan.sentences
    if machine == "flite":
        voice, language = plan.flite[number % len(plan.flite)], "en-us"
        stretch, pitch = generator.uniform(0.8, 1.3), generator.uniform(85, 150) * (1.6 if voice == "slt" else 1)
        options = ["-voice", voice, "--setf", f"duration_stretch={stretch:.2f}"]
        options += ["--setf", f"int_f0_target_mean={pitch:.0f}"]
    else:
        language = list(SENTENCES)[number % len(SENTENCES)]
        voice = language + plan.variants[number // len(SENTENCES) % len(plan.variants)]
        options = ["-v", voice, "-s", f"{generator.integers(120, 220)}", "-p", f"{generator.integers(25, 75)}"]
    text = SENTENCES[language].split("\n")[1:][int(generator.integers(first, last))].strip()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spoken.wav"
        said = ["-t", text, "-o", str(path)] if machine == "flite" else ["-w", str(path), text]
        try:
            subprocess.run([machine, *options, *said], check=True, capture_output=True, timeout=60)
            audio = read(path, rate=RATE)
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{machine} with the voice {voice} fails ({error}); install it from Debian.") from error
    before, after = (np.zeros(int(generator.uniform(0.05, 0.6) * RATE), np.float32) for _ in range(2))
    with_silence = Audio(np.concatenate([before, audio.samples, after]), rate=RATE, source=voice)
    return voice, add_noise(with_silence, snr_db=float(generator.uniform(35, 60)), seed=generator, kind="pink")


def make_clips(data: Path, folder: Path, *, seed: int = MADE_SEED) -> list[Item]:
    """Make all three parts; the same seed gives the same clips.

    Args:
        data: folder with a folder for each set, with clips and a `labels.csv`; EmoDB's has an `erkennung.txt` too.
        folder: folder for `clips.jsonl` and `clips/`.
        seed: random seed.
    """
    natural = emodb_listeners(data)
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    items = []
    for part in PARTS:
        for number, made in enumerate(made_clips(data, part, seed=seed)):
            name = f"{part}-{number:04}"
            path = f"clips/{name}.ogg"
            if made.kind == HUMAN:  # coded once more, it would no longer be as it is
                shutil.copyfile(made.audio.source, folder / path)
            else:
                peak = float(np.abs(made.audio.samples).max())
                samples = made.audio.samples / np.float32(max(peak / 0.99, 1.0))
                write(folder / path, Audio(samples, rate=RATE, source=made.audio.source))
            share = natural.get(made.emodb_file, math.nan)
            items.append(Item(name, path, part, made.kind, made.how, made.set, made.emodb_file, share))
    lines = (json.dumps({k: _or_none(v) for k, v in asdict(item).items()}, ensure_ascii=False) for item in items)
    (folder / "clips.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return items


def _or_none(value: str | float) -> str | float | None:
    return None if isinstance(value, float) and math.isnan(value) else value


def read_clips(folder: Path) -> list[Item]:
    """Read the clips of a folder.

    Raises:
        RecordError: if a line lacks a field or has an unknown one.
    """
    index = folder / "clips.jsonl"
    items = []
    for number, line in enumerate(index.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            items.append(Item(**row | {"listeners": math.nan if row["listeners"] is None else row["listeners"]}))
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"{index}, line {number}: {error}; make the clips again.") from error
    return items
