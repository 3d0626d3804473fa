"""Words of feeling as points: a lexicon of the user's, and the built-in one with its neighbours."""

from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.studio.agreement.feeling_places import feeling_places, read_lexicon
from aptone.types import Vad
from tests.tables import for_each


def written(folder: Path, text: str, name: str = "lexicon.tsv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def numbers(place: Vad | None) -> list[float]:
    assert place is not None
    return [place.valence, place.arousal, place.dominance]


def test_a_lexicon_as_nrc_lays_it_out_takes_the_place_of_the_built_in_words(tmp_path: Path) -> None:
    path = written(
        tmp_path, "Word\tValence\tArousal\tDominance\ncalm\t0.9\t0.1\t0.5\nice cold\t0.2\t0.4\t0.6\n平静\t1\t0\t0.5\n"
    )
    lexicon = read_lexicon(path)
    places = feeling_places(["Calm.", "ice cold", "not calm", "angry", "平静", "calm, ice cold"], lexicon=lexicon)
    # 0 to 1 becomes -1 to 1: 2 · 0.9 - 1 = 0.8
    assert numbers(places["Calm."]) == pytest.approx([0.8, -0.8, 0.0])
    assert numbers(places["ice cold"]) == pytest.approx([-0.6, -0.2, 0.2])
    assert places["not calm"] is None
    assert places["angry"] is None  # known here, but not to the lexicon
    assert places["平静"] == Vad(1.0, -1.0, 0.0)
    assert numbers(places["calm, ice cold"]) == pytest.approx([0.1, -0.5, 0.1])  # the mean of both


def test_a_lexicon_from_minus_one_to_one_and_one_on_a_scale_of_its_own(tmp_path: Path) -> None:
    signed = read_lexicon(written(tmp_path, "term,v,a,d\nsad,-0.5,-0.25,0\n", "signed.csv"))
    assert feeling_places(["sad"], lexicon=signed)["sad"] == Vad(-0.5, -0.25, 0.0)
    nine = read_lexicon(written(tmp_path, "sad\t1\t5\t9\n"), scale=(1, 9))
    assert feeling_places(["sad"], lexicon=nine)["sad"] == Vad(-1.0, 0.0, 1.0)


@for_each(
    ("text", "message"),
    [
        ("", "there is no word in it"),
        ("sad\t0.1\t0.2\n", "line 1: expected a word and three numbers|there is no word"),
        ("w\tv\ta\td\nsad\t0.1\tx\t0.2\n", "line 2: expected a word and three numbers"),
        ("sad\t1\t5\t9\n", "line 1: 'sad' lies outside of 0 to 1; name the scale"),
        ("ok\t0\t0\t0\nsad\tnan\t0\t0\n", "line 2: expected a word"),
    ],
)
def test_a_table_that_is_no_lexicon_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_lexicon(written(tmp_path, text))


def test_a_file_that_is_not_there_or_not_text_and_a_scale_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        read_lexicon(tmp_path / "nowhere.tsv")
    (tmp_path / "bytes.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="not UTF-8"):
        read_lexicon(tmp_path / "bytes.tsv")
    with pytest.raises(UsageError, match="lower and an upper end"):
        read_lexicon(written(tmp_path, "sad\t1\t1\t1\n"), scale=(2, 2))


def test_a_word_that_is_not_known_lies_where_its_neighbours_lie_and_nonsense_nowhere() -> None:
    places = feeling_places(["悲愤", "zorbly", "none", "?!", " "])
    near = places["悲愤"]
    assert near is not None
    assert near.valence < -0.4
    assert [places[text] for text in ("zorbly", "none", "?!", " ")] == [None] * 4
