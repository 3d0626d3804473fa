"""A voice's reference: what it changes, what it leaves alone, and what is no reference."""

import itertools
import json
import math
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.audio import write
from aptone.ear import reference as module
from aptone.ear.perceive import load_ear
from aptone.ear.reference import (
    FEWEST,
    MOST,
    Clip,
    Reference,
    References,
    against,
    by_prosody,
    chosen,
    departures_from,
    folder_clips,
    habits_of,
    hear_references,
    make_reference,
    make_references,
)
from aptone.errors import UsageError
from aptone.messages import translate
from aptone.types import Audio, AudioRef, Emotion, Perception, Score, Vad, from_json, to_json

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
NAMES = ("neutral", "happy", "sad", "angry")
EAR = "ear:full|revision:5|weights:x"


def emotion(**high: float) -> dict[str, float]:
    rest = (1.0 - sum(high.values())) / (len(NAMES) - len(high))
    return {name: high.get(name, rest) for name in NAMES}


def heard(distribution: dict[str, float]) -> Perception:
    return Perception(2.0, speech_seconds=1.5, emotion=distribution, vad=Vad(0.0, 0.0, 0.0), signature=EAR)


MIXED = [emotion(**{name: 0.85}) for name in NAMES for _ in range(4)]
ANGRY = [emotion(angry=0.85) for _ in range(16)]


def test_diversity_is_the_entropy_of_the_mean_less_the_mean_entropy() -> None:
    sure = [{"a": 1.0, "b": 0.0}] * 4 + [{"a": 0.0, "b": 1.0}] * 4  # mean (1/2, 1/2): ln 2; each alone: 0
    assert make_reference(sure).diversity == pytest.approx(math.log(2))
    assert make_reference([{"a": 0.7, "b": 0.3}] * 8).diversity == pytest.approx(0.0)


def test_the_formula_by_hand() -> None:
    made = Reference(
        98, mean={"a": -1.0, "b": -2.0}, deviation={"a": 1.5, "b": 0.5}, share={"a": 0.6, "b": 0.4}, diversity=1.0
    )
    assert made.weight == pytest.approx(98 / 100)  # diverse enough, shrunk by 2 clips
    given = {"a": 0.5, "b": 0.5}
    plain = math.log(0.5)
    a = 2.5 * (plain + 1.0) / (1.5 + 1.0) + 0.1 * math.log(0.601)
    b = 2.5 * (plain + 2.0) / (0.5 + 1.0) + 0.1 * math.log(0.401)
    expected = 1.0 / (1.0 + math.exp((0.98 * b + 0.02 * plain) - (0.98 * a + 0.02 * plain)))
    found = against(given, made)
    assert found["a"] == pytest.approx(expected)
    assert math.fsum(found.values()) == pytest.approx(1.0)


def test_a_voice_that_always_sounds_angry_is_heard_against_that() -> None:
    # Every clip leans to anger; the one that leans least to it, and most to sadness, is the sad one.
    lean = [emotion(angry=0.6, **{name: 0.25}) for name in ("neutral", "happy", "sad") for _ in range(4)]
    lean += [emotion(angry=0.95) for _ in range(4)]
    made = make_reference(lean)
    sure = replace(made, diversity=1.0)
    shifted = against(emotion(angry=0.6, sad=0.25), sure)
    assert max(shifted, key=lambda name: shifted[name]) == "sad"
    kept = against(emotion(angry=0.95), sure)
    assert max(kept, key=lambda name: kept[name]) == "angry"


def test_a_collection_of_one_emotion_changes_nothing() -> None:
    made = make_reference(ANGRY)
    assert made.weight == 0.0
    references = make_references([("", heard(one)) for one in ANGRY], ear=EAR)
    assert references.applied(heard(ANGRY[0])) == heard(ANGRY[0])


def test_the_order_of_clips_does_not_matter() -> None:
    noise = random.Random(7)
    clips = [emotion(angry=noise.uniform(0.1, 0.6), sad=noise.uniform(0.05, 0.3)) for _ in range(60)]
    shuffled = clips[:]
    noise.shuffle(shuffled)
    assert make_reference(clips) == make_reference(shuffled)


def test_voices_with_enough_clips_have_their_own_reference_and_the_others_share_one() -> None:
    clips = [("anna", heard(one)) for one in MIXED] + [("bert", heard(one)) for one in MIXED[:3]]
    clips += [("", heard(MIXED[0]))]
    made = make_references(clips, ear=EAR)
    assert set(made.voices) == {"anna"}
    assert made.few == {"bert": 3}
    assert made.whole is not None
    assert made.whole.clips == 20
    assert made.of("anna") == made.voices["anna"]
    assert made.of("bert") == made.of("") == made.whole


def test_single_words_do_not_count() -> None:
    words = [("", replace(heard(one), speech_seconds=0.6)) for one in MIXED]
    assert make_references(words, ear=EAR).whole is None


def test_clips_without_speech_do_not_count() -> None:
    silent = Perception(1.0, unjudged={"emotion": "no speech"}, signature=EAR)
    made = make_references([("", silent)] * 20 + [("", heard(MIXED[0]))], ear=EAR)
    assert made.whole is None
    assert made.applied(heard(MIXED[0])) == heard(MIXED[0])
    assert made.applied(silent) == silent


def test_valence_arousal_and_dominance_move_with_the_emotion() -> None:
    made = make_references([("", heard(one)) for one in MIXED], ear=EAR)
    before, after = heard(emotion(angry=0.5)), made.applied(heard(emotion(angry=0.5)))
    assert after.vad is not None
    # typical arousal: neutral 0, happy 0.51, sad -0.27, angry 0.59
    typical = {"neutral": 0.0, "happy": 0.51, "sad": -0.27, "angry": 0.59}
    shift = sum(typical[name] * (after.emotion[name] - before.emotion[name]) for name in NAMES)
    assert after.vad.arousal == pytest.approx(shift)
    assert after.signature == f"{EAR}|reference:{made.signature}"
    assert set(after.phrase) == {"en", "zh"}


def test_the_reference_of_another_ear_is_refused() -> None:
    made = make_references([("", heard(one)) for one in MIXED], ear="ear:permissive|revision:5")
    with pytest.raises(UsageError, match="made by another ear"):
        made.applied(heard(MIXED[0]))


def test_references_survive_a_file_and_their_signature_says_what_they_are() -> None:
    made = make_references([("v", heard(one)) for one in MIXED], ear=EAR)
    again = from_json(References, to_json(made))
    assert again == made
    assert again.signature == made.signature
    other = make_references([("v", heard(one)) for one in MIXED[:-1]], ear=EAR)
    assert other.signature != made.signature


def test_a_note_says_what_it_is_made_of_in_both_languages() -> None:
    clips = [(f"voice{number}", heard(one)) for number in range(7) for one in MIXED]
    note = make_references([*clips, ("rare", heard(MIXED[0]))], ear=EAR).note
    assert note.startswith("Reference: 113 clips (weight 0.98). voice0: 16 clips (weight 0.89).")
    assert "2 more voices." in note
    assert note.endswith("1 voices with fewer than 8 clips are compared with all clips.")
    assert translate(note, "zh").startswith("参照：113 段录音")
    assert "at least 8 clips" in make_references([], ear=EAR).note


def test_of_very_many_clips_as_many_are_chosen_whatever_their_order() -> None:
    names = [f"clip{number}" for number in range(5 * MOST)]
    places = chosen(names)
    assert len(places) == MOST
    backwards = [names[::-1][place] for place in chosen(names[::-1])]
    assert {names[place] for place in places} == set(backwards)


def test_a_folder_names_voices_by_the_folders_inside_it(tmp_path: Path) -> None:
    for number, voice in itertools.product(range(4), ("a", "b")):
        (tmp_path / voice).mkdir(exist_ok=True)
        shutil.copy(CLIPS / "wall-apt.opus", tmp_path / voice / f"{number}.opus")
    found = folder_clips(tmp_path)
    assert [clip.voice for clip in found] == ["a"] * 4 + ["b"] * 4
    assert found[0].name == "a/0.opus"


def test_a_folder_that_is_not_there_or_has_one_clip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        aptone.reference(tmp_path / "gone")
    shutil.copy(CLIPS / "wall-apt.opus", tmp_path)
    with pytest.raises(UsageError, match="1 recordings are too few for a reference; it needs at least 8"):
        aptone.reference(tmp_path)


def test_a_folder_of_silence_is_refused(tmp_path: Path) -> None:
    for number in range(FEWEST):
        write(tmp_path / f"{number}.wav", Audio(np.zeros(16_000, dtype=np.float32), rate=16_000))
    with pytest.raises(UsageError, match="fewer than 8 could be read and hold enough speech"):
        aptone.reference(tmp_path)


def test_from_recordings_to_what_is_heard() -> None:
    paths = sorted(CLIPS.glob("*.opus"))
    made = aptone.reference(paths, voices=["en" if "-zh-" not in path.name else "zh" for path in paths])
    assert set(made.voices) == {"en"}
    assert made.few == {"zh": 6}
    plain = aptone.hear(paths[0])
    shifted = made.applied(plain, voice="en")
    assert shifted.emotion != plain.emotion
    assert math.fsum(shifted.emotion.values()) == pytest.approx(1.0)
    assert (
        replace(shifted, emotion=plain.emotion, phrase=plain.phrase, vad=plain.vad, signature=plain.signature) == plain
    )
    with pytest.raises(UsageError, match="1 voices for 18 recordings"):
        aptone.reference(paths, voices=["x"])


def test_clips_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    counted = []
    clips = [Clip("", str(n), AudioRef(str(tmp_path / f"{n}.wav"))) for n in range(3)]
    made = hear_references(clips, ear=load_ear("full"), heard=lambda: counted.append(1))
    assert made.whole is None
    assert len(counted) == 3


def test_the_constants_are_those_that_the_benchmark_published() -> None:
    results = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "ear_reference.json"
    published = json.loads(results.read_text(encoding="utf-8"))["constants"]
    now = {name: getattr(module, name) for name in published}
    assert {name: list(value) if isinstance(value, tuple) else value for name, value in now.items()} == published


def prosody_of(**weights: dict[str, float]) -> dict[str, tuple[float, ...]]:
    """Weights by measure (scale 2) and emotion; a bias of 0.1 for anger."""
    names = [emotion.value for emotion in Emotion]
    rows = {name: (2.0, *(row.get(emotion, 0.0) for emotion in names)) for name, row in weights.items()}
    return rows | {"bias": (0.0, *(0.1 if emotion == "angry" else 0.0 for emotion in names))}


def test_habits_are_mean_and_deviation_of_what_at_least_two_clips_define() -> None:
    undefined = Score(math.nan, reason="unvoiced")
    clips = [
        {"loudness": Score(60.0), "jitter": Score(0.01)},
        {"loudness": Score(64.0), "jitter": undefined},
        {"loudness": undefined, "jitter": undefined},
    ]
    assert habits_of(clips) == {"loudness": (62.0, 2.0)}  # jitter is defined once only


def test_departures_are_in_deviations_and_a_tenth_of_the_scale_and_at_most_three() -> None:
    prosody = prosody_of(loudness={"angry": 1.0}, jitter={"angry": 1.0}, HNR={"angry": 1.0}, shimmer={"angry": 1.0})
    habits = {"loudness": (60.0, 1.8), "jitter": (0.0, 0.8), "HNR": (10.0, 1.0)}
    measures = {
        "loudness": Score(61.0),  # 1 / (1.8 + 0.1 * 2) = 0.5
        "jitter": Score(-9.0),  # -9 / (0.8 + 0.2) = -9, at most -3
        "HNR": Score(math.nan, reason="unvoiced"),
        "shimmer": Score(1.0),  # no habit
    }
    assert departures_from(habits, measures, prosody) == pytest.approx({"loudness": 0.5, "jitter": -3.0})


def test_a_measure_that_never_changes_says_nothing() -> None:
    prosody = {"loudness": (0.0, *[1.0] * len(Emotion)), "bias": (0.0,) * (len(Emotion) + 1)}
    assert departures_from({"loudness": (60.0, 0.0)}, {"loudness": Score(61.0)}, prosody) == {}


def test_prosody_says_log_probabilities_of_all_emotions() -> None:
    prosody = prosody_of(loudness={"angry": 2.0, "sad": -1.0})
    found = by_prosody({"loudness": 0.5}, prosody)
    # angry 0.1 + 0.5 * 2 = 1.1, sad -0.5, the other eight 0
    total = math.log(math.exp(1.1) + math.exp(-0.5) + 8)
    assert found["angry"] == pytest.approx(1.1 - total)
    assert found["sad"] == pytest.approx(-0.5 - total)
    assert found["fear"] == pytest.approx(-total)
    assert by_prosody({}, prosody) == {}


def test_prosody_counts_by_half_beside_what_is_heard() -> None:
    made = Reference(98, {"a": -1.0, "b": -1.0}, {"a": 1.0, "b": 1.0}, {"a": 0.5, "b": 0.5}, diversity=1.0)
    # the rest is the same for both: 0.98 * 0.5 * (log 0.8 - log 0.2) apart, by the weight of 98 clips
    found = against({"a": 0.5, "b": 0.5}, made, {"a": math.log(0.8), "b": math.log(0.2)})
    assert math.log(found["a"] / found["b"]) == pytest.approx(0.98 * 0.5 * math.log(4.0))
    assert against({"a": 0.5, "b": 0.5}, made, {}) == against({"a": 0.5, "b": 0.5}, made)


def measured(distribution: dict[str, float], loudness: float) -> Perception:
    return replace(heard(distribution), measures={"loudness": Score(loudness), "jitter": Score(loudness / 1e4)})


def test_a_collection_with_measures_is_the_same_in_any_order_and_its_habits_are_in_the_signature() -> None:
    noise = random.Random(5)
    clips = [("v", measured(one, noise.uniform(40, 80))) for one in MIXED]
    shuffled = clips[:]
    noise.shuffle(shuffled)
    prosody = prosody_of(loudness={"angry": 2.0})
    made, again = (make_references(each, ear=EAR, prosody=prosody) for each in (clips, shuffled))
    assert made == again
    assert made.signature == again.signature
    assert from_json(References, to_json(made)) == made
    louder = [(voice, replace(one, measures={"loudness": Score(90.0)})) for voice, one in clips]
    assert make_references(louder, ear=EAR, prosody=prosody).signature != made.signature
    assert make_references(clips, ear=EAR).signature != made.signature


def test_a_clip_louder_than_the_voice_usually_is_is_heard_as_angrier() -> None:
    clips = [("", measured(one, 60.0 + place % 2)) for place, one in enumerate(MIXED)]
    made = make_references(clips, ear=EAR, prosody=prosody_of(loudness={"angry": 2.0}))
    usual, loud = (made.applied(measured(MIXED[0], loudness)).emotion["angry"] for loudness in (60.5, 63.0))
    assert loud > usual
    without = make_references(clips, ear=EAR)
    assert without.applied(measured(MIXED[0], 60.5)).emotion == without.applied(measured(MIXED[0], 63.0)).emotion
