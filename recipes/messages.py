"""Bring catalogues in step: ``python -m recipes.messages`` (or ``make messages``), for developers.

The English catalogue of a part decides which ids there are and in which order. Those of the other languages get the
same order, and the English text above each entry as a comment for translators; an id that they lack is added empty. An
id that English does not have any more is dropped. Then every catalogue is compiled. Needs Babel, of the extra ``dev``.
"""

import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from aptone.messages.catalogue import LANGUAGES, LOCALE, Language

WIDTH = 120
PLURALS = {"en": (2, "(n != 1)"), "zh": (1, "0")}


def domains() -> list[str]:
    """Return the parts of the package that have catalogues."""
    return sorted(path.stem for path in (LOCALE / "en" / "LC_MESSAGES").glob("*.po"))


def catalogue_path(domain: str, language: Language) -> Path:
    """Return where the catalogue of a part in a language is kept."""
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def read_catalogue(domain: str, language: Language) -> Catalog:
    """Read a catalogue; one that does not exist is empty."""
    path = catalogue_path(domain, language)
    if not path.exists():
        return Catalog(locale=language, domain=domain)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def entries(catalogue: Catalog) -> dict[str, Entry]:
    """Return the entries of a catalogue by id, in its order."""
    return {key(entry): entry for entry in catalogue if entry.id}


def key(entry: Entry) -> str:
    """Return the id of an entry, which stands twice in one with plural forms."""
    return str(entry.id if isinstance(entry.id, str) else entry.id[0])


def forms(entry: Entry) -> tuple[str, ...]:
    """Return the texts of an entry: one, or its plural forms."""
    text = entry.string or ""
    return (text,) if isinstance(text, str) else tuple(text)


class Undated(Catalog):
    """Catalogue without dates and translators in its header: equal entries give equal files."""

    @property
    def num_plurals(self) -> int:
        """Return how many plural forms the language has."""
        return PLURALS[str(self.locale)][0]

    @property
    def plural_expr(self) -> str:
        """Return the expression that chooses one of them."""
        return PLURALS[str(self.locale)][1]

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Return the fields of the header."""
        count, expression = PLURALS[str(self.locale)]
        return [
            ("Project-Id-Version", "aptone"),
            ("Language", str(self.locale)),
            ("Plural-Forms", f"nplurals={count}; plural={expression};"),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]


def brought_in_step(domain: str, language: Language) -> Undated:
    """Return the catalogue of a part as it should stand on the disk."""
    english, given = entries(read_catalogue(domain, "en")), entries(read_catalogue(domain, language))
    comment = f"# {domain}, {language}. What ids are and how to add one: README.md of aptone.messages."
    made = Undated(locale=language, domain=domain, fuzzy=False, header_comment=comment)
    for name, entry in english.items():
        own = given.get(name)
        kept = own is not None and own.pluralizable == entry.pluralizable
        empty = ("",) * PLURALS[language][0] if entry.pluralizable else ""
        made.add(
            entry.id,
            own.string if own is not None and kept else empty,
            user_comments=entry.user_comments if language == "en" else (),
            auto_comments=() if language == "en" else [f"en: {form}" for form in forms(entry)],
        )
    return made


def as_text(catalogue: Undated) -> str:
    """Return the text of a catalogue's ``.po`` file."""
    file = io.BytesIO()
    write_po(file, catalogue, width=WIDTH)
    return file.getvalue().decode().rstrip("\n") + "\n"


def compiled(catalogue: Undated) -> bytes:
    """Return the ``.mo`` file of a catalogue; entries without a text are left out."""
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def main() -> None:
    """Bring every catalogue in step and compile it."""
    for domain in domains():
        for language in LANGUAGES:
            path, catalogue = catalogue_path(domain, language), brought_in_step(domain, language)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(as_text(catalogue), encoding="utf-8")
            path.with_suffix(".mo").write_bytes(compiled(catalogue))


if __name__ == "__main__":
    main()
