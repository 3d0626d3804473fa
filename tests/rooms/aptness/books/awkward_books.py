"""Makers of books in awkward shapes; their lines were written down before any was read (`awkward/truth.tsv`)."""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import docx
from docx.enum.style import WD_STYLE_TYPE
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas


def write_docx(path: Path) -> None:
    """Write a Word file with a title, a table of contents, a line break within a paragraph, and a table."""
    made = docx.Document()
    made.add_paragraph("The Long Wait", style="Title")
    made.add_paragraph("A novel", style="Subtitle")
    for name in ("TOC Heading", "TOC 1", "TOC 2"):
        if name not in [style.name for style in made.styles]:
            made.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    for text, style in (("Contents", "TOC Heading"), ("Morning\t3", "TOC 1"), ("A letter\t5", "TOC 2")):
        made.add_paragraph(text, style=style)
    made.add_heading("Morning", 1)
    paragraph = made.add_paragraph("Nora opened the ")
    paragraph.add_run("Post").italic = True
    paragraph.add_run(" and read it twice.")
    made.add_paragraph("“I will not go,” said Nora.\n“Not today.”")
    made.add_heading("A letter", 2)
    made.add_table(rows=1, cols=2).cell(0, 0).text = "a"
    made.add_paragraph("Peter looked up. “Then who will?” asked Peter.")
    made.add_paragraph("* * *")
    made.add_heading("Evening", 1)
    made.add_paragraph("Nobody came.")
    made.save(str(path))


PAGES: tuple[tuple[str, ...], ...] = (
    (
        "CHAPTER ONE",
        "",
        "   The harbour lay quiet in the evening light, and",
        "no boat had come in since noon. Mara stood on the",
        "wall and counted the lamps along the quay, as she",
        "had done every night since the storm.",
        "   “Do you see it?” asked Tom. He was out of breath",
        "and had run the whole way from the light-",
        "house.",
    ),
    (
        "   “I see nothing,” said Mara, “and neither do you.",
        "Go home, Tom. There is nothing that we could do be-",
        "fore the morning.”",
        "   He did not go. The wind turned, and somewhere out",
        "on the water a bell rang once, and then again, and",
    ),
    (
        "then no more.",
        "   “That was the Anna,” he said.",
        "   Mara ran down the steps.",
        "",
        "CHAPTER TWO",
        "",
        "   In the morning the sea was flat and grey. They",
        "found the boat on the sand, with nobody in it.",
    ),
    (
        "   “Look here,” said Tom. “The rope is cut.”",
        "   She knelt beside him and took it in her hand. It",
        "was true.",
    ),
)


def write_pdf(path: Path) -> None:
    """Write a PDF whose left pages name the author and whose right ones the title, each beside the number."""
    width, height = A5
    canvas = Canvas(str(path), pagesize=A5)
    for number, rows in enumerate(PAGES, start=12):
        canvas.setFont("Times-Roman", 9)
        if number % 2:
            canvas.drawString(50, height - 35, f"{number}    A. NOBODY")
        else:
            canvas.drawRightString(width - 50, height - 35, f"THE HARBOUR    {number}")
        canvas.setFont("Times-Roman", 11)
        for place, row in enumerate(rows):
            down = height - 65 - 15 * place
            if row.startswith("CHAPTER"):
                canvas.drawCentredString(width / 2, down, row)
            else:
                canvas.drawString(64 if row.startswith(" ") else 50, down, row.strip())
        canvas.showPage()
    canvas.save()


EPUB = {
    "half": "<p>THE LONG WAIT</p>",
    "copy": "<p>Copyright © 2026 A. Nobody</p><p>ISBN 978-3-16-148410-0</p>",
    "ded": '<section epub:type="dedication"><p>For my mother</p></section>',
    "epi": '<section epub:type="epigraph"><p>The sea has no memory.</p></section>',
    "nav": (
        '<nav epub:type="toc"><h1>Contents</h1><ol><li><a href="c1.xhtml">1 Morning</a></li>'
        '<li><a href="c2.xhtml">2 Evening</a></li><li><a href="notes.xhtml">Notes</a></li>'
        '<li><a href="about.xhtml">About the Author</a></li></ol></nav>'
    ),
    "c1": (
        '<section epub:type="chapter"><h1>1<br/>Morning</h1>'
        '<p><span class="dropcap">N</span>ora opened the <i>Post</i>'
        '<a epub:type="noteref" href="notes.xhtml#n1"><sup>1</sup></a> and read.</p>'
        '<p>“I will not go,” said Nora.<a href="#fn2" id="r2">[2]</a></p>'
        "<p>“Then who will?” asked Peter.</p>"
        '<aside epub:type="footnote" id="fn2"><p><a href="#r2">[2]</a> She went.</p></aside></section>'
    ),
    "c2": '<section epub:type="chapter"><h1>2<br/>Evening</h1><p>Peter went.</p></section>',
    "notes": '<section epub:type="endnotes"><h1>Notes</h1><p id="n1">1. A newspaper.</p></section>',
    "about": "<h1>About the Author</h1><p>A. Nobody lives nowhere.</p>",
}


def write_epub(path: Path) -> None:
    """Write an EPUB with a half-title, rights, a dedication, an epigraph, two kinds of notes and an afterword."""
    entries = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml" properties="{name}"/>'
        for name in EPUB
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in EPUB)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/container.xml", '<c><rootfile full-path="OEBPS/b.opf"/></c>')
        archive.writestr(
            "OEBPS/b.opf",
            '<package xmlns:dc="d"><metadata><dc:title>The Long Wait</dc:title><dc:language>en</dc:language></metadata>'
            f"<manifest>{entries}</manifest><spine>{spine}</spine></package>",
        )
        for name, body in EPUB.items():
            page = f'<html xmlns="h" xmlns:epub="http://www.idpf.org/2007/ops"><body>{body}</body></html>'
            archive.writestr(f"OEBPS/{name}.xhtml", page)


WRITERS: Mapping[str, Callable[[Path], None]] = {
    "book.docx": write_docx,
    "book.pdf": write_pdf,
    "book.epub": write_epub,
}
"""Makers of the files that are no text, by name."""
