"""The tokens of the miniature judge are those of the library that taught them, whatever a text holds."""

import unicodedata
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aptone.errors import RecordError
from recipes.miniature.tokens import LONGEST_PIECE, Tokens

pytest.importorskip("transformers", reason="the extra local is not installed")
from tokenizers import Tokenizer

from recipes.miniature.export import tokens_of
from recipes.miniature.model import CONTROL, miniature_tokenizer
from tests.judge.miniatures import TEXTS


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tokenizer, Tokens]:
    folder = tmp_path_factory.mktemp("tokens")
    miniature_tokenizer(TEXTS, vocabulary=400).save_pretrained(folder)
    return Tokenizer.from_file(str(folder / "tokenizer.json")), tokens_of(folder / "tokenizer.json")


def old(character: str) -> bool:
    """Whether a character had its category already in Unicode 3.2: later ones are not known to every library."""
    return unicodedata.ucd_3_2_0.category(character) == unicodedata.category(character) not in ("Cn", "Cs")


patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""As many examples as ever, however busy the machine is."""
HOSTILE = st.text(
    st.one_of(
        st.sampled_from(" \t\n\r\x0b\x1c\x1f\x85\xa0\u2003\u200b\u3000'’strevmldSTM0123456789.,<>|/_-"),
        st.sampled_from("²½Ⅷ٣४一三é́ñß的👍🏽‍"),
        st.characters(exclude_categories=("Cs", "Cn")).filter(old),
    ),
    max_size=60,
)


@patiently
@given(text=HOSTILE)
def test_a_text_has_the_tokens_that_the_library_gives_it(both: tuple[Tokenizer, Tokens], text: str) -> None:
    library, ours = both
    assert ours.encode(text) == library.encode(text, add_special_tokens=False).ids
    assert ours.decode(ours.encode(text)) == text


@patiently
@given(pieces=st.lists(st.sampled_from([*CONTROL, "it's", "we'll", " 4.2", "\n\n", "…", "she said"]), max_size=12))
def test_no_text_becomes_a_control_token(both: tuple[Tokenizer, Tokens], pieces: list[str]) -> None:
    _, ours = both
    ids = ours.encode("".join(pieces))
    assert not set(ids) & set(ours.control.values())
    assert ours.decode(ids) == "".join(pieces)


@patiently
@given(ids=st.lists(st.integers(0, 399), max_size=30))
def test_any_tokens_are_decoded_as_the_library_does(both: tuple[Tokenizer, Tokens], ids: list[int]) -> None:
    library, ours = both
    known = [number for number in ids if number < len(ours)]
    assert ours.decode(known) == library.decode(known, skip_special_tokens=False)


def test_lone_halves_of_characters_become_question_marks(both: tuple[Tokenizer, Tokens]) -> None:
    _, ours = both
    assert ours.decode(ours.encode("a\ud83db")) == "a?b"


def test_a_long_run_of_letters_is_read_in_parts(both: tuple[Tokenizer, Tokens]) -> None:
    _, ours = both
    text = "e" * (2 * LONGEST_PIECE + 7)
    assert ours.decode(ours.encode(text)) == text


def test_what_is_kept_is_the_same_vocabulary_and_what_is_none_is_refused(both: tuple[Tokenizer, Tokens]) -> None:
    library, ours = both
    again = Tokens.read(ours.kept())
    assert len(again) == library.get_vocab_size() == len(ours)
    assert again.encode(TEXTS[0]) == library.encode(TEXTS[0], add_special_tokens=False).ids
    kept = ours.kept()
    damaged: dict[str, Any]
    for damaged in ({**kept, "bytes": kept["bytes"][:-1]}, {**kept, "merges": [[9999, 1, 2]]}, {"control": {}}):
        with pytest.raises(RecordError):
            Tokens.read(damaged)
