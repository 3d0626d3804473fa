"""Captions of other people, made false in known places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.describe import mentions
from aptone.errors import UsageError
from aptone.rooms.caption.bench.perturb import Perturbation
from aptone.rooms.caption.bench.perturb_text import perturb_caption, perturb_claims
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.decompose.built_in import decompose
from aptone.types import Language
from tests.tables import for_each

WOMAN = "A young woman speaks slowly in a deep, raspy voice with deep sadness. Her pitch is low; nobody hears her."
MAN = "An old man's angry voice: he shouts angrily, low in pitch, full of anxiety, and introduces himself."
CHINESE = "一位年轻女性语速缓慢，嗓音沙哑，她听起来有些悲伤，音量较小。"


def units(caption: str, language: Language = "en") -> list[Unit]:
    return [
        Unit("A fact.", sense.attribute, sense.value.value, one.evidence, one.start, one.end)
        for one in mentions(caption, language=language)
        for sense in one.entry.means
    ]


def perturbed(caption: str, kind: Perturbation, language: Language = "en", seed: int = 1) -> str:
    return perturb_caption(caption, units(caption, language), kind, language=language, seed=seed).caption


def test_a_gender_goes_with_its_pronouns_as_subject_object_and_owner() -> None:
    assert perturbed(WOMAN, Perturbation.GENDER) == WOMAN.replace("woman", "man").replace("Her", "His").replace(
        "hears her", "hears him"
    )
    assert perturbed(MAN, Perturbation.GENDER) == (
        "An old woman's angry voice: she shouts angrily, high in pitch, full of anxiety, and introduces herself."
    )


def test_an_emotion_is_exchanged_as_adjective_adverb_and_noun() -> None:
    assert perturbed(MAN, Perturbation.EMOTION) == (
        "An old man's happy voice: he shouts happily, low in pitch, full of happiness, and introduces himself."
    )


def test_the_article_goes_with_the_word_behind_it() -> None:
    caption = "She speaks in an extremely deep voice."
    assert perturbed(caption, Perturbation.ACOUSTICS) == "She speaks in a high-pitched voice."
    feelings = {perturbed("An irate man.", Perturbation.EMOTION, seed=seed) for seed in range(20)}
    assert all((found.split()[0] == "An") == (found.split()[1][0] in "aeiou") for found in feelings)


def test_every_place_that_names_the_value_is_exchanged() -> None:
    found = perturb_caption(WOMAN, units(WOMAN), Perturbation.MIXED, language="en", seed=1)
    assert [one.before for one in found.replacements] == [
        "young woman", "slowly", "deep", "raspy", "deep sadness", "Her", "pitch is low", "her"
    ]  # fmt: skip
    assert found.caption.startswith("A young man speaks very fast in a")
    assert found.caption.endswith("can be heard.")
    assert set(found.changed) == {"emotion", "sex", "pitch", "rate", "texture", "events"}


def test_verbs_that_say_how_loud_stay_verbs() -> None:
    caption = "She murmurs; he goes on muttering at a low volume."
    loud = perturb_claims(caption, units(caption), 1, language="en", seed=0, among=("volume",)).caption
    assert loud in ("She shouts; he goes on shouting very loudly.", "She calls out; he goes on calling out loudly.")


def test_mandarin_keeps_its_forms() -> None:
    assert perturbed(CHINESE, Perturbation.GENDER, "zh") == CHINESE.replace("女", "男").replace("她", "他")
    assert perturbed(CHINESE, Perturbation.EMOTION, "zh") == CHINESE.replace("有些悲伤", "有些俏皮")
    assert perturbed(CHINESE, Perturbation.EVENT, "zh") == CHINESE + "录音中可以听到咳嗽声。"


def test_what_a_caption_denies_stays_as_it_is() -> None:
    caption = "She is not angry but sad."
    claims = [
        Unit("She is not angry.", "emotion", "angry", "angry", 11, 16, is_denied=True),
        Unit("She is sad.", "emotion", "sad", "sad", 21, 24),
    ]
    found = perturb_caption(caption, claims, Perturbation.EMOTION, language="en", seed=0)
    assert found.caption.startswith("She is not angry but ")
    assert "sad" not in found.caption


def test_an_ambiguous_word_is_exchanged_for_what_the_units_say_it_means() -> None:
    caption = "A low voice? No: it is low."
    claims = [Unit("The volume is low.", "volume", "soft", "low", 23, 26)]
    found = perturb_caption(caption, claims, Perturbation.ACOUSTICS, language="en", seed=0)
    assert found.changed == ("volume",)
    assert found.caption in ("A low voice? No: it is very loud.", "A low voice? No: it is loud.")


def test_a_caption_that_claims_nothing_cannot_be_made_false() -> None:
    for kind in (Perturbation.EMOTION, Perturbation.GENDER, Perturbation.ACOUSTICS, Perturbation.MIXED):
        with pytest.raises(UsageError):
            perturb_caption("It rains.", [], kind, language="en", seed=0)
    unclear = Unit("The tone is odd.", "emotion", "odd", "odd", 0, 3)
    with pytest.raises(UsageError):
        perturb_caption("odd", [unclear], Perturbation.EMOTION, language="en", seed=0)


@given(st.sampled_from([WOMAN, MAN]), st.integers(0, 4), st.integers(0, 2**32))
def test_so_many_attributes_are_false_as_were_asked_for(caption: str, count: int, seed: int) -> None:
    try:
        found = perturb_claims(caption, units(caption), count, language="en", seed=seed)
    except UsageError:
        assert count > 2  # a false sex may forbid a false pitch
        return
    assert len(found.changed) == count
    assert (found.caption == caption) == (count == 0)


@for_each("seed", range(12))
def test_a_false_emotion_is_not_one_that_the_caption_denies(seed: int) -> None:
    caption = "女声，语气愉悦，没有任何悲伤的情绪，也不愤怒。"
    units = decompose(caption, language="zh")
    found = perturb_caption(caption, units, Perturbation.EMOTION, language="zh", seed=seed)
    denied = {unit.value for unit in units if unit.is_denied}
    assert denied == {"sad", "angry"}
    claimed = decompose(found.caption, language="zh")
    assert not denied & {unit.value for unit in claimed if not unit.is_denied}


def test_moderately_goes_with_the_word_that_it_grades() -> None:
    caption = "The pace is moderately fast."
    units = decompose(caption, language="en")
    found = perturb_caption(caption, units, Perturbation.ACOUSTICS, language="en", seed=1)
    assert "moderately" not in found.caption


def rewritten(caption: str, kind: Perturbation, language: Language = "en", seed: int = 0) -> tuple[str, bool]:
    found = perturb_caption(caption, decompose(caption, language=language), kind, language=language, seed=seed)
    return found.caption, found.is_coherent


@for_each(
    ("caption", "head", "tail"),
    [
        ("A voice brimming with confident enthusiasm.", "A voice brimming with confident ", "."),
        ("She speaks, boiling over with rage, at a low pitch.", "She speaks, sounding ", ", at a low pitch."),
        ("The fellow is over the moon, and quick.", "The fellow is ", ", and quick."),
        ("Then she loses her temper.", "Then she sounds ", "."),
    ],
)
def test_idioms_are_exchanged_for_words_of_the_same_form(caption: str, head: str, tail: str) -> None:
    for seed in range(6):
        text, is_coherent = rewritten(caption, Perturbation.EMOTION, seed=seed)
        assert is_coherent
        assert text.startswith(head)
        assert text.endswith(tail)
    nouns = {
        rewritten("A voice brimming with confident enthusiasm.", Perturbation.EMOTION, seed=n)[0] for n in range(8)
    }
    assert not any(text.endswith(("sad.", "angry.", "happy.", "bored.")) for text in nouns)


def test_a_caption_that_cannot_be_rewritten_safely_is_said_to_be_so() -> None:
    caption = "A man, high, as if he had just won the raffle and had to tell the neighbours; he beams with joy."
    _, is_coherent = rewritten(caption, Perturbation.EMOTION)
    assert not is_coherent


@for_each("seed", range(6))
def test_what_a_rewritten_caption_claims_is_what_was_intended_and_the_rest(seed: int) -> None:
    caption = "A woman, fed up to the back teeth, speaks slowly; nobody would call this cheerful."
    before = {(unit.attribute, unit.value, unit.is_denied) for unit in decompose(caption, language="en")}
    text, is_coherent = rewritten(caption, Perturbation.EMOTION, seed=seed)
    after = {(unit.attribute, unit.value, unit.is_denied) for unit in decompose(text, language="en")}
    assert is_coherent
    assert ("emotion", "angry", False) not in after
    assert {claim for claim in before if claim[0] != "emotion"} <= after
    assert ("emotion", "happy", True) in after
    assert ("emotion", "happy", False) not in after
