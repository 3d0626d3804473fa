import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import soundfile
from lxml import etree

from aptone.errors import UsageError
from aptone.rooms.aptness.books.book_text import BookLine, make_line
from aptone.rooms.aptness.delivery.book_plan import PlannedLine
from aptone.rooms.aptness.delivery.ssml import EXTENSION, NAMESPACE, ssml_document
from aptone.types import Intonation, Line, Plan, Rhythm

SCHEMA = etree.RelaxNG(etree.parse(str(Path(__file__).parent / "ssml.rng")))
ANGRY = Plan("angry", Rhythm.HEAVY, Intonation.FALLING, voice=("hesitant",), intensity=0.9)
LINES = (
    PlannedLine(1, BookLine(Line("Chapter 1"), "Chapter 1", "heading")),
    PlannedLine(2, make_line(Line("It rained & <poured>."), "Chapter 1"), Plan("calm", Rhythm.RELAXED)),
    PlannedLine(3, make_line(Line("Go\x00 away “now”!", "Mara"), "Chapter 1"), ANGRY),
    PlannedLine(4, make_line(Line("she said.", continues=True), "Chapter 1", kind="tag")),
    PlannedLine(
        5, make_line(Line("No.", speech=True, continues=True), "Chapter 1"), Plan("", unsaid=0.9, emotions={"sad": 1.0})
    ),
)


def document(lines: Sequence[PlannedLine] = LINES, **options: object) -> etree._Element:
    text = "".join(ssml_document(lines, language="en", characters=["Tom", "Mara"], **options))  # type: ignore[arg-type]
    return etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))


def tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def test_a_document_is_valid_and_has_every_line_once_in_order() -> None:
    root = document()
    SCHEMA.assertValid(root)
    assert [mark.get("name") for mark in root.iter(tag("mark"))] == [f"line-{number:06d}" for number in range(1, 6)]
    assert ["".join(sentence.itertext()) for sentence in root.iter(tag("s"))] == [
        "Chapter 1",
        "It rained & <poured>.",
        "Go\ufffd away “now”!",
        "she said.",
        "No.",
    ]


def test_the_schema_refuses_what_ssml_does_not_know() -> None:
    for wrong in ('rate="fast!"', 'volume="6"', 'pitch="5%"', 'speed="2"'):
        text = (
            f'<speak version="1.1" xmlns="{NAMESPACE}" xml:lang="en"><p><s><prosody {wrong}>a</prosody></s></p></speak>'
        )
        assert not SCHEMA.validate(etree.fromstring(text))


def test_lines_of_one_paragraph_stand_together() -> None:
    assert [len(paragraph.findall(tag("s"))) for paragraph in document().iter(tag("p"))] == [1, 1, 3]


def test_prosody_emphasis_and_pauses_come_from_the_plan() -> None:
    root = document()
    told, said = root.iter(tag("prosody"))
    assert dict(told.attrib) == {"rate": "98%", "pitch": "-1%"}  # narration: half of 95 % and of -2.4 %
    assert (said.get("rate"), said.get("pitch")) == ("88%", "+5%")
    (emphasis,) = root.iter(tag("emphasis"))
    assert (emphasis.get("level"), emphasis.getparent()) == ("strong", said)
    assert [pause.get("time") for pause in root.iter(tag("break"))] == ["1000ms", "300ms"]


def test_characters_have_a_variant_each_or_the_voice_that_they_are_given() -> None:
    (voice,) = document().iter(tag("voice"))
    assert dict(voice.attrib) == {"variant": "3"}  # the second character; the narrator is the first voice
    root = document(voices={"Mara": "Jenny & Co", "narration": "Guy"})
    SCHEMA.assertValid(root)
    assert [voice.get("name") for voice in root.iter(tag("voice"))] == ["Guy", "Guy", "Jenny & Co", "Guy"]


def test_azure_gets_styles_and_changes_in_percent() -> None:
    root = document(dialect="azure", voices={"*": "en-US-GuyNeural", "Mara": "en-US-JennyNeural"})
    assert {child.tag for child in root} == {tag("voice")}
    assert root.get("version") == "1.0"
    (style,) = root.iter(f"{{{EXTENSION}}}express-as")
    assert (style.get("style"), style.get("styledegree")) == ("angry", "1.8")
    (prosody,) = style.iter(tag("prosody"))
    assert prosody.get("rate") == "-12%"
    assert style.getparent().get("name") == "en-US-JennyNeural"
    assert [mark.get("mark") for mark in root.iter(tag("bookmark"))][2] == "line-000003"


def test_azure_needs_a_voice_for_everybody() -> None:
    with pytest.raises(UsageError, match="needs the name of a voice for every character, and narration has none"):
        document(dialect="azure", voices={"Mara": "x"})
    with pytest.raises(UsageError, match="no dialect 'polly'"):
        document(dialect="polly")


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_a_synthesiser_reads_it_and_speaks_a_heavy_line_more_slowly(tmp_path: Path) -> None:
    def seconds(plan: Plan | None) -> float:
        line = make_line(Line("The water has come over the wall, and nobody is left in the house below.", "Mara"))
        text = "".join(ssml_document([PlannedLine(1, line, plan)], language="en"))
        (tmp_path / "line.ssml").write_text(text, encoding="utf-8")
        command = ["espeak-ng", "-m", "-f", str(tmp_path / "line.ssml"), "-w", str(tmp_path / "line.wav")]
        subprocess.run(command, check=True, capture_output=True)
        return float(soundfile.info(tmp_path / "line.wav").duration)

    plain = seconds(None)
    assert seconds(Plan("sad", Rhythm.LOW_PACED)) > 1.05 * plain
    assert seconds(Plan("happy", Rhythm.BRISK)) < 0.97 * plain
