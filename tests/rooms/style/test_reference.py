"""Voices compared with descriptions against what they usually sound like; an index that keeps its references."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.ear.reference import References, hear_enough, make_references
from aptone.errors import UsageError
from aptone.rooms.style.data import StylePair, make_items, read_pairs
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.search import StyleIndex
from aptone.rooms.style.step import style_step, voice_clips
from aptone.run import Call
from aptone.run.folder import REFERENCE
from aptone.types import AudioRef, dumps
from tests.rooms.style.voices import ToneEmbedder, write_tone

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
CLIP = CLIPS / "keeper-apt.opus"


@pytest.fixture(scope="module")
def references() -> References:
    return aptone.reference(CLIPS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nine clips, which can be indexed."""
    (tmp_path / "clips").mkdir()
    for path in sorted(CLIPS.glob("*.opus"))[1:10]:
        shutil.copy(path, tmp_path / "clips")
    return tmp_path / "clips"


def test_the_vector_is_that_of_what_the_references_give(references: References) -> None:
    plain = BuiltInStyleEmbedder()
    embedder = plain.with_references(references)
    audio = aptone.read_audio(CLIP, rate=None, channel="mix")
    (vector,) = embedder.embed_audio([audio])
    np.testing.assert_array_equal(vector, plain.embed_heard(references.applied(aptone.hear(audio, ear="full"))))
    assert not np.array_equal(vector, plain.embed_audio([audio])[0])
    assert embedder.signature == f"{plain.signature}|reference:{references.signature}"
    assert embedder.about.notes == (references.note,)


def test_the_fit_is_heard_and_signed_with_the_references(references: References) -> None:
    plain, embedder = BuiltInStyleEmbedder(), BuiltInStyleEmbedder().with_references(references)
    audio = aptone.read_audio(CLIP, rate=None, channel="mix")
    alone, against = (style_step(one).judge([audio], ["an angry man"])[0] for one in (plain, embedder))
    assert against.scores["fit"].value != alone.scores["fit"].value
    assert against.scores["fit"].signature.startswith(f"{embedder.signature}|evidence:")


def test_the_voice_of_a_pair_chooses_the_reference(tmp_path: Path, references: References) -> None:
    rows = [
        {"id": "a", "audio": str(CLIP), "description": "an angry man", "speaker": "anna"},
        {"id": "b", "audio": str(CLIP), "description": "an angry man"},
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(f"{dumps(row)}\n" for row in rows), encoding="utf-8")
    pairs = read_pairs(tmp_path / "pairs.jsonl")
    assert [clip.voice for clip in voice_clips(pairs)] == ["anna", ""]
    own = aptone.reference(sorted(CLIPS.glob("*-wrong.opus")) + sorted(CLIPS.glob("*-zh-*.opus")))
    both = replace(references, voices={"anna": own.whole} if own.whole else {})
    items = list(make_items(pairs))
    anna, whole = style_step(BuiltInStyleEmbedder().with_references(both)).batch(items, [Call(), Call()])
    assert anna.scores["cosine"].value != whole.scores["cosine"].value
    alone = style_step(BuiltInStyleEmbedder().with_references(references)).batch(items, [Call(), Call()])
    assert alone[0].scores["cosine"].value == whole.scores["cosine"].value


def test_from_python_a_folder_will_do_and_another_embedder_refuses(references: References) -> None:
    outcome = aptone.style(CLIP, "an angry man", reference=CLIPS)
    assert (
        outcome.scores["cosine"].value
        == aptone.style(CLIP, "an angry man", reference=references).scores["cosine"].value
    )
    assert outcome.scores["cosine"].value != aptone.style(CLIP, "an angry man").scores["cosine"].value
    with pytest.raises(UsageError, match=r"^tones does not hear by the built-in ear"):
        aptone.style(CLIP, "low", model=ToneEmbedder(), reference=references)


def test_an_index_is_heard_against_its_own_clips(folder: Path) -> None:
    found = aptone.search(folder, "an angry man", top=3, reference="self")
    own = aptone.reference(folder)
    assert own.whole is not None
    expected = BuiltInStyleEmbedder().with_references(own)
    angry = expected.embed_texts(["an angry man"])[0]
    vector = expected.embed_audio([aptone.read_audio(found[0].audio.path, rate=None, channel="mix")])[0]
    assert found[0].cosine == pytest.approx(float(vector @ angry), abs=1e-6)
    plain = aptone.search(folder, "an angry man", top=3)
    assert [one.cosine for one in plain] != [one.cosine for one in found]


def test_references_are_kept_and_made_anew_with_the_vectors_when_clips_change(folder: Path) -> None:
    heard: list[int] = []

    def hear(clips: list[object], **options: object) -> References:
        heard.append(len(clips))
        return hear_enough(clips, **options)  # type: ignore[arg-type]

    index = StyleIndex(folder, BuiltInStyleEmbedder())
    assert index.against("self", hear=hear).update().embedded == 9
    again = StyleIndex(folder, BuiltInStyleEmbedder()).against("self", hear=hear)
    assert (again.update().embedded, heard) == (0, [9])
    kept = (folder / ".aptone" / REFERENCE).read_bytes()
    shutil.copy(CLIPS / "wall-zh-wrong.opus", folder)
    grown = StyleIndex(folder, BuiltInStyleEmbedder()).against("self", hear=hear)
    assert grown.update().embedded == 10  # every vector rests on the new references
    assert heard == [9, 10]
    assert (folder / ".aptone" / REFERENCE).read_bytes() != kept
    assert len(list((folder / ".aptone").glob("*.vectors"))) == 1
    assert StyleIndex(folder, BuiltInStyleEmbedder()).update().embedded == 10  # plain vectors lie beside them


def test_a_damaged_file_of_references_is_made_anew(folder: Path) -> None:
    StyleIndex(folder, BuiltInStyleEmbedder()).against("self")
    (folder / ".aptone" / REFERENCE).write_text("{", encoding="utf-8")
    assert StyleIndex(folder, BuiltInStyleEmbedder()).against("self").update().clips == 9


def test_an_index_of_another_embedder_or_of_few_clips_refuses(tmp_path: Path) -> None:
    write_tone(tmp_path / "few" / "a.wav", 100.0)
    with pytest.raises(UsageError, match=r"^tones does not hear"):
        StyleIndex(tmp_path / "few", ToneEmbedder()).against("self")
    with pytest.raises(UsageError, match="1 recordings are too few"):
        StyleIndex(tmp_path / "few", BuiltInStyleEmbedder()).against("self")
    assert not (tmp_path / "few" / ".aptone" / REFERENCE).exists()
    with pytest.raises(UsageError, match="no such folder"):
        StyleIndex(tmp_path / "few", BuiltInStyleEmbedder()).against(tmp_path / "nowhere")


def test_references_of_another_ear_are_refused() -> None:
    other = make_references([], ear="ear:other")
    with pytest.raises(UsageError, match="another ear"):
        aptone.style(CLIP, "an angry man", reference=other)


def test_ids_of_a_pair_do_not_change_its_hash() -> None:
    pair = StylePair("a", AudioRef(str(CLIP)), "an angry man")
    named = StylePair("a", AudioRef(str(CLIP)), "an angry man", ids={"speaker": "anna"})
    assert next(make_items([pair])).content_hash == next(make_items([named])).content_hash
