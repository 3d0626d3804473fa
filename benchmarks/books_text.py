"""Books and scripts as lines: share of lines, kinds and speakers right, by format; speakers in fiction; bad files.

Files are made by their own tools (zipfile for EPUB, python-docx, reportlab, pysubs2, plain text) from hand-made stories
whose lines, kinds and speakers are known (`book_stories.py`). Speakers in fiction are those of hand-made labels
(`book_speakers`), which point into public-domain books.

    python -m benchmarks.books_text --fiction FOLDER
"""

import argparse
import json
import re
import tarfile
import tempfile
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from difflib import SequenceMatcher
from pathlib import Path

import docx
import pysubs2
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, SimpleDocTemplate
from reportlab.platypus import Paragraph as PdfParagraph

from aptone.errors import RecordError
from aptone.planner.reading.attribution import read_story, speech_roles
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.speaker_chain import best_speakers, speaker_weights
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.book_text import Book
from aptone.types import Line
from benchmarks.book_stories import CUES, HARBOUR, RIVER, SCRIPT, Piece, prose
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "books_text.json"
LABELS = Path(__file__).parent / "book_speakers" / "labels.jsonl"
MODERN = LABELS.with_name("modern.txt")
NEAR = {"en": 700, "zh": 150}
"""Paragraphs before and behind a quotation that are read."""
CONTAINER = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
TITLES = frozenset(
    ["the", "a", "my", "his", "her", "mr", "mrs", "miss", "ms", "sir", "lady", "lord", "captain", "colonel", "col", "m"]
)


def main() -> None:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fiction", type=Path, help="folder with books.en.tar.xz and books.zh.tar.xz")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[str, object] = {"formats": dict(measure_formats(folder)), "bad_files": dict(bad_files(folder))}
    found["modern"] = measure_modern()
    if given.fiction is not None:
        found["fiction"] = measure_fiction(given.fiction)
    elif RESULTS.exists():
        found["fiction"] = json.loads(RESULTS.read_text(encoding="utf-8")).get("fiction")
    found = with_revisions(found, "planner")
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1, ensure_ascii=False))


def measure_formats(folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield for each format the shares of lines, kinds and speakers that are right."""
    english, mandarin = prose(HARBOUR), prose(RIVER)
    makers: Mapping[str, tuple[Callable[[Path], None], Sequence[Piece]]] = {
        "en.epub": (lambda path: write_epub(path, english), flat(HARBOUR)),
        "zh.epub": (lambda path: write_epub(path, mandarin), flat(RIVER)),
        "en.docx": (lambda path: write_docx(path, english), flat(HARBOUR)),
        "zh.docx": (lambda path: write_docx(path, mandarin), flat(RIVER)),
        "en.html": (lambda path: write_html(path, english), flat(HARBOUR)),
        "en.md": (lambda path: write_markdown(path, english), flat(HARBOUR)),
        "en.pdf": (lambda path: write_pdf(path, english), flat(HARBOUR)),
        "plain.txt": (lambda path: write_text(path, english), flat(HARBOUR)),
        "straight.txt": (lambda path: write_text(path, prose(HARBOUR, opening='"', closing='"')), flat(HARBOUR)),
        "british.txt": (lambda path: write_text(path, british(HARBOUR)), flat(HARBOUR, british_quotes=True)),
        "guillemets.txt": (lambda path: write_text(path, prose(HARBOUR, opening="«", closing="»")), flat(HARBOUR)),
        "zh.txt": (lambda path: write_text(path, mandarin), flat(RIVER)),
        "corner.txt": (lambda path: write_text(path, prose(RIVER, opening="「", closing="」")), flat(RIVER)),
        "wrapped.txt": (lambda path: write_wrapped(path, english), flat(HARBOUR)),
        "script.fountain": (write_fountain, flat(SCRIPT)),
        "film.txt": (write_film, flat(SCRIPT)),
        "film.srt": (lambda path: write_subtitles(path, "srt"), CUES),
        "film.vtt": (lambda path: write_vtt(path), CUES),
        "film.ass": (lambda path: write_subtitles(path, "ass"), CUES),
    }
    for name, (write, truth) in makers.items():
        write(folder / name)
        yield name, compared(load_book(folder / name), truth)


def flat(story: Sequence[Sequence[Piece]], *, british_quotes: bool = False) -> list[Piece]:
    """Return the pieces of a story in order."""
    found = [piece for paragraph in story for piece in paragraph]
    if british_quotes:
        swap = str.maketrans("‘’“”", "“”‘’")
        return [piece._replace(text=piece.text.translate(swap)) for piece in found]
    return found


def british(story: list[list[Piece]]) -> list[tuple[str, str]]:
    """Return the paragraphs with single quotation marks outside and double ones inside."""
    swap = str.maketrans("‘’“”", "“”‘’")
    return [(kind, text.translate(swap)) for kind, text in prose(story)]


def compared(book: Book, truth: Sequence[Piece]) -> dict[str, float]:
    """Return the shares of true lines that are found with their words, their kind, and as speech their speaker."""
    found = [(line.line.text, line.kind, line.line.role) for line in book.lines]
    wanted = [(piece.text, piece.kind, piece.role) for piece in truth]
    match = SequenceMatcher(a=[_key(one[0]) for one in found], b=[_key(one[0]) for one in wanted], autojunk=False)
    pairs = [
        (found[block.a + step], wanted[block.b + step])
        for block in match.get_matching_blocks()
        for step in range(block.size)
    ]
    speech = [pair for pair in pairs if pair[1][1] == "speech"]
    spoken = sum(one[1] == "speech" for one in wanted)
    return {
        "lines": round(len(pairs) / len(wanted), 3),
        "kinds": round(sum(one[1] == two[1] for one, two in pairs) / len(wanted), 3),
        "speakers": round(sum(one[2] == two[2] for one, two in speech) / spoken, 3),
        "extra": len(found) - len(pairs),
    }


def _key(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def write_epub(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write an EPUB 3 with a title page, contents and a note."""
    body = "".join(f"<h2>{text}</h2>" if kind == "heading" else f"<p>{text}</p>" for kind, text in paragraphs)
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "b.opf": '<package><metadata><title>T</title></metadata><manifest><item id="n" href="n.xhtml" properties="nav"'
        ' media-type="application/xhtml+xml"/><item id="t" href="title.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="t"/>'
        '<itemref idref="n"/><itemref idref="c"/></spine></package>',
        "n.xhtml": '<html xmlns:epub="e"><body><nav epub:type="toc"><ol><li><a href="c.xhtml">T</a></li></ol></nav>'
        '<nav epub:type="landmarks"><a epub:type="titlepage" href="title.xhtml">T</a></nav></body></html>',
        "title.xhtml": "<html><body><h1>T</h1><p>By nobody</p></body></html>",
        "c.xhtml": f'<html xmlns:epub="e"><body>{body}<aside epub:type="footnote">A note.</aside></body></html>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def write_docx(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write a Word document with a header and a caption."""
    made = docx.Document()
    made.sections[0].header.paragraphs[0].text = "Draft"
    for kind, text in paragraphs:
        made.add_heading(text, 1) if kind == "heading" else made.add_paragraph(text)
    made.add_paragraph("Figure 1", style="Caption")
    made.save(str(path))


def write_html(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write a page with navigation and a script."""
    body = "".join(f"<h2>{text}</h2>" if kind == "heading" else f"<p>{text}</p>" for kind, text in paragraphs)
    path.write_text(f"<html><nav><a href='/'>Home</a></nav><script>x()</script>{body}</html>", encoding="utf-8")


def write_markdown(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write Markdown with emphasis and a note."""
    rows = [f"## {text}" if kind == "heading" else text.replace("never", "*never*") for kind, text in paragraphs]
    path.write_text("\n\n".join([*rows, "[^1]: A note."]) + "\n", encoding="utf-8")


def write_text(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write plain text, a paragraph on each row."""
    path.write_text("\n\n".join(text for _, text in paragraphs) + "\n", encoding="utf-8")


def write_wrapped(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write text of pages: rows wrapped at a width, hyphens, running heads and page numbers."""
    rows: list[str] = []
    for _, text in paragraphs:
        rows += [*textwrap.wrap(text.replace("although", "al-though"), 58), ""]
    pages = [rows[start : start + 12] for start in range(0, len(rows), 12)]
    whole = [["THE HARBOUR", "", *page, "", f"{number:>30}"] for number, page in enumerate(pages, start=1)]
    text = "\f".join("\n".join(page) for page in whole)
    path.write_text(text.replace("al-though", "al-\nthough", 1), encoding="utf-8")


def write_pdf(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write a PDF with running heads, page numbers, indented paragraphs and a page for each chapter."""
    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14, firstLineIndent=14)
    head = ParagraphStyle("head", fontName="Times-Bold", fontSize=16, leading=24, spaceAfter=18, alignment=1)
    flow: list[object] = []
    for kind, text in paragraphs:
        if kind == "heading" and flow:
            flow.append(PageBreak())
        flow.append(PdfParagraph(text, head if kind == "heading" else body))
    flow += [
        PageBreak(),
        PdfParagraph("Afterwards nobody spoke of it, and the town went on as it had always done.", body),
    ]

    def furnish(canvas: Canvas, document: SimpleDocTemplate) -> None:
        canvas.drawString(60, 560, "THE HARBOUR")
        canvas.drawCentredString(210, 30, str(document.page))

    SimpleDocTemplate(str(path), pagesize=A5).build(flow, onFirstPage=furnish, onLaterPages=furnish)


def write_fountain(path: Path) -> None:
    """Write a script in Fountain with a title page, a note and a transition."""
    rows = ["Title: The Letter", "Author: Nobody", ""]
    for paragraph in SCRIPT:
        for piece in paragraph:
            rows += [piece.role, piece.text, ""] if piece.kind == "speech" else [piece.text, ""]
    path.write_text("\n".join([*rows, "[[a note]]", "", "CUT TO:", ""]), encoding="utf-8")


def write_film(path: Path) -> None:
    """Write a script as plain text, with indented names and speeches."""
    rows: list[str] = []
    for paragraph in SCRIPT:
        for piece in paragraph:
            if piece.kind == "speech":
                rows += [" " * 22 + piece.role, *(" " * 11 + row for row in textwrap.wrap(piece.text, 34)), ""]
            else:
                rows += [*textwrap.wrap(piece.text, 58), ""]
    path.write_text("\n".join(rows), encoding="utf-8")


def write_subtitles(path: Path, kind: str) -> None:
    """Write subtitles by pysubs2; in SRT names stand before a colon, in ASS in their field."""
    made = pysubs2.SSAFile()
    for number, piece in enumerate(CUES):
        label = f"{piece.role}: " if kind == "srt" and piece.role else ""
        name = piece.role if kind == "ass" else ""
        made.append(pysubs2.SSAEvent(2000 * number, 2000 * number + 1500, text=label + piece.text, name=name))
    made.append(pysubs2.SSAEvent(20_000, 21_000, text="[door slams]"))
    made.save(str(path), format_=kind)


def write_vtt(path: Path) -> None:
    """Write WebVTT with voices."""
    rows = ["WEBVTT", "", "NOTE made by hand", ""]
    for number, piece in enumerate(CUES):
        voice = f"<v {piece.role}>" if piece.role else ""
        rows += [f"00:{2 * number:02d}.000 --> 00:{2 * number + 1:02d}.500", voice + piece.text, ""]
    path.write_text("\n".join(rows), encoding="utf-8")


def bad_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the error that each bad file gives."""
    good = prose(HARBOUR)
    write_epub(folder / "encrypted.epub", good)
    with zipfile.ZipFile(folder / "encrypted.epub", "a") as archive:
        archive.writestr(
            "META-INF/encryption.xml",
            '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>'
            "</EncryptedData></encryption>",
        )
    docx.Document().save(str(folder / "empty.docx"))
    canvas = Canvas(str(folder / "pictures.pdf"))
    for _ in range(3):
        canvas.rect(50, 50, 300, 300, fill=1)
        canvas.showPage()
    canvas.save()
    write_epub(folder / "bomb.epub", [("paragraph", "a" * 50_000_000)])
    write_epub(folder / "entities.epub", good)
    with zipfile.ZipFile(folder / "entities.epub") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["b.opf"] = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    with zipfile.ZipFile(folder / "entities.epub", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    for name in ("encrypted.epub", "empty.docx", "pictures.pdf", "bomb.epub", "entities.epub"):
        try:
            load_book(folder / name)
            yield name, "READ"
        except RecordError as error:
            yield name, str(error).replace(f"{folder}/", "")


def measure_fiction(folder: Path) -> dict[str, dict[str, float]]:
    """Return the share of labelled quotations whose speaker is right, by language and part, and by the tag.

    The kind of tag is what the reader finds: one that names, a pronoun or noun that does not, or none. Of each book
    only the paragraphs near a quotation are read (`NEAR`), some chapters of it.
    """
    labels = [json.loads(row) for row in LABELS.read_text(encoding="utf-8").splitlines()]
    found: dict[str, dict[str, float]] = {}
    for language in ("en", "zh"):
        wanted = {one["book"] for one in labels if one["language"] == language}
        books = dict(_books(folder / f"books.{language}.tar.xz", wanted))
        places = {name: [one["paragraph"] for one in labels if one["book"] == name] for name in books}
        near = [
            [
                row if any(abs(number - place) <= NEAR[language] for place in places[name]) else ""
                for number, row in enumerate(rows)
            ]
            for name, rows in books.items()
        ]
        with ProcessPoolExecutor(2) as pool:
            given = dict(zip(books, pool.map(_given, near), strict=True))
        for part in ("choose", "dev", "test"):
            chosen = [one for one in labels if one["language"] == language and one["part"] == part]
            answers = [
                (*given[one["book"]].get((one["paragraph"], one["start"]), ("", "none")), one["speakers"])
                for one in chosen
            ]
            found[f"{language}_{part}"] = shares([(role, names) for role, _, names in answers])
            for kind in ("named", "pronoun", "none"):
                own = [(role, names) for role, tag, names in answers if tag == kind]
                found[f"{language}_{part}_{kind}"] = shares(own)
    return found


def _given(rows: Sequence[str]) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the speaker of each part of speech, and the kind of its tag, by paragraph and first character."""
    story = read_story([Line(text) for text in with_curly_quotes(rows)])
    tags = {id(part): unit for unit in story.events.units for part in unit.parts}
    kinds = {key: "named" if unit.role else "pronoun" if unit.tag else "none" for key, unit in tags.items()}
    for unit, role, _ in best_speakers(story.candidates, story.events, speaker_weights(story.language)):
        for part in unit.parts:
            part.role = role
    return {
        (place, part.start): (part.role, kinds[id(part)])
        for place, paragraph in enumerate(story.paragraphs)
        for part in paragraph.parts
    }


def shares(answers: Sequence[tuple[str, Sequence[str]]]) -> dict[str, float]:
    """Return the shares of right, unknown and wrong speakers, and the precision of those that are given."""
    count = max(1, len(answers))
    right = sum(is_right(role, names) for role, names in answers)
    unknown = sum(not role and not is_right(role, names) for role, names in answers)
    given = sum(bool(role) for role, _ in answers)
    return {
        "lines": len(answers),
        "right": round(right / count, 3),
        "unknown": round(unknown / count, 3),
        "wrong": round((len(answers) - right - unknown) / count, 3),
        "precision": round(sum(bool(role) and is_right(role, names) for role, names in answers) / max(1, given), 3),
    }


def measure_modern() -> dict[str, dict[str, float]]:
    """Return the shares for short scenes of today, which a language model wrote: `book_speakers/modern.txt`."""
    answers: dict[str, list[tuple[str, Sequence[str]]]] = {"en": [], "zh": []}
    for scene in MODERN.read_text(encoding="utf-8").split("# ")[1:]:
        head, *rows = scene.strip().split("\n")
        pairs = [row.split(" | ", 1) if " | " in row else ["", row.removeprefix("| ")] for row in rows]
        roles = speech_roles([Line(text) for _, text in pairs])
        for (names, _), given in zip(pairs, roles, strict=True):
            if names:
                role = given.popitem()[1] if len(set(given.values())) == 1 else ""
                answers[head[:2]].append((role, names.split(", ")))
    return {language: shares(own) for language, own in answers.items()}


def _books(archive: Path, wanted: set[str]) -> Iterator[tuple[str, list[str]]]:
    with tarfile.open(archive) as files:
        for member in files:
            name = Path(member.name).stem
            if name in wanted and (file := files.extractfile(member)) is not None:
                yield name, file.read().decode().split("\n")


def is_right(role: str, accepted: Sequence[str]) -> bool:
    """Return true if a speaker is one of the accepted ones: by all words but titles, in Mandarin by all characters."""
    for name in accepted:
        if role == name or role.lstrip("那这") == name.lstrip("那这") != "":
            return True
        one, two = _name_words(role), _name_words(name)
        if one and two and (one <= two or two <= one):
            return True
    return False


def _name_words(name: str) -> set[str]:
    words = set(re.findall(r"[\w'-]+", name.casefold().replace("’", "'")))
    return words - TITLES or words


if __name__ == "__main__":
    main()
