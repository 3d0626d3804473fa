import json
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RecordError
from aptone.rooms.answer.data import CATEGORIES, Dimension
from aptone.rooms.answer.judge.built_in import simplicity, wording_fit
from aptone.rooms.answer.judge.complements import SHIPPED, Complement, load_complements
from aptone.rooms.answer.judge.terms import Sound
from tests.tables import for_each


def rows() -> list[Complement]:
    return [row for of in load_complements().categories.values() for row in of.values()]


def test_every_way_of_asking_has_its_reason_signs_and_examples_in_both_languages() -> None:
    for row in rows():
        for language in ("en", "zh"):
            assert row.reason[language]
            assert len(row.signs[language]) >= 10
            assert len(row.examples[language]) >= 2


def test_what_opposes_a_way_of_asking_is_another_of_its_dimension() -> None:
    for dimension, of in load_complements().categories.items():
        for way, row in of.items():
            assert way not in row.opposes
            assert set(row.opposes) <= set(CATEGORIES[dimension])


def test_a_sound_that_is_known_in_part_is_judged_by_that_part() -> None:
    sad = load_complements().categories[Dimension.EMOTION]["sad"]
    assert sad.sound_fit(Sound(rate="slow")) == sad.rate["slow"] == 1.0
    # (0.1^0.6 * 1.0^0.15)^(1 / 0.75)
    assert sad.sound_fit(Sound({"happy": 1.0}, rate="slow")) == pytest.approx(0.1**0.8)


def test_a_sound_in_doubt_lies_between_what_it_may_be() -> None:
    sad = load_complements().categories[Dimension.EMOTION]["sad"]
    assert sad.sound_fit(Sound({"happy": 0.5, "calm": 0.5})) == pytest.approx((0.1 + 1.0) / 2)


@for_each(
    "damage",
    [
        lambda table: table["categories"]["emotion"].pop("sad"),
        lambda table: table["categories"]["emotion"]["sad"]["rate"].pop("slow"),
        lambda table: table["categories"]["emotion"]["sad"]["emotion"].update(happy=1.5),
        lambda table: table["manners"].pop("friendly"),
        lambda table: table.pop("categories"),
    ],
)
def test_a_table_with_a_gap_is_refused(damage: Any, tmp_path: Path) -> None:
    table = json.loads(SHIPPED.read_text(encoding="utf-8"))
    damage(table)
    (tmp_path / "table.json").write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(RecordError, match="no table"):
        load_complements(tmp_path / "table.json")


def test_short_words_in_short_sentences_are_simple() -> None:
    # 3 letters a word and 3 words a sentence are below 3.5 and 6: as simple as can be
    assert simplicity("The cat sat. The dog ran.") == 1.0
    # 12 letters a word are above 6: only the sentence of 2 words counts, for half
    assert simplicity("Considerable refurbishment.") == pytest.approx(0.5)
    assert simplicity("猫坐下了。") > simplicity("根据目前可以获得的全部资料这件事情的发展仍然存在相当大的不确定性。")
    assert simplicity("…") == 0.0


def test_a_longer_sign_counts_once_with_the_shorter_one_inside_it() -> None:
    of = load_complements().categories[Dimension.EMOTION]
    assert wording_fit("sad", of, "Is it?", "I am so sorry.", language="en").signs == ("so sorry",)


def test_signs_are_found_as_whole_words() -> None:
    of = load_complements().categories[Dimension.GENDER]
    assert wording_fit("male", of, "Is it?", "The manager has a siren.", language="en").signs == ()
    assert wording_fit("male", of, "Is it?", "Yes, Sir!", language="en").signs == ("sir",)
    assert wording_fit("male", of, "Is it?", "Yes, ma’am.", language="en").wrong == ("ma'am",)


def test_a_brief_answer_to_sarcasm_is_better_than_a_long_one() -> None:
    of = load_complements().categories[Dimension.SARCASM]
    brief, long = (
        wording_fit("sarcastic", of, "Is it?", words, language="en").fit
        for words in ("It is a meeting.", "It is a meeting. " * 12)
    )
    assert brief > long
