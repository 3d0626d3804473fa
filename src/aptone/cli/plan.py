"""``aptone plan``."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.commands import add_options, gather_options
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import CACHE_OPTIONS, default_cache
from aptone.cli.options.values import (
    LANGUAGES,
    PATH,
    choice_option,
    output_option,
    setting,
    settings_option,
    several_option,
    shown_option,
)
from aptone.cli.output import LIMIT_REACHED, json_option, print_about, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.messages import message, translate, words
from aptone.models import Engine
from aptone.planner import Planner
from aptone.registry import Registry
from aptone.report.plan_text import plan_table
from aptone.rooms.aptness.api import line_of_story, make_planner, plan_sample
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.delivery.api import checked_choice, read_whole_book
from aptone.rooms.aptness.delivery.book_plan import BookPlanStep, BookWindows, LineChoice, PlanItems, planned_lines
from aptone.rooms.aptness.delivery.sheet import FORMATS, Format, SheetOptions, load_voices, write_sheet
from aptone.rooms.aptness.delivery.ssml import DIALECTS, Dialect
from aptone.rooms.aptness.operations import plan_reply
from aptone.run import InProcess, ReplyCache, RunConfig, display_for, run_items, surroundings, typed_command
from aptone.types import Language, State

MOST_REASONS = 5
"""Reasons for lines without a plan that are printed."""

SYNC_INTERVAL = 0.1
"""Seconds that plans wait to be written to the disk together: a plan takes some 20 ms to make."""


@dataclass(frozen=True, slots=True)
class BookOptions:
    """Options for planning a whole book.

    Args:
        output: folder of the sheet; ``None`` for the default.
        chapters: titles of chapters; all where none is named.
        narration: whether narration is planned.
        formats: files to write; all where none is named.
        dialect: vocabulary of the SSML.
        voices: file with the names of voices by character.
    """

    output: Path | None
    chapters: tuple[str, ...]
    narration: bool
    formats: tuple[Format, ...]
    dialect: Dialect
    voices: Path | None

    @property
    def given(self) -> list[str]:
        """Options that only a whole book can have, as far as they were given."""
        asked = {
            "--output": self.output,
            "--chapter": self.chapters,
            "--no-narration": not self.narration,
            "--format": self.formats,
            "--ssml": self.dialect != DIALECTS[0],
            "--voices": self.voices,
        }
        return [name for name, value in asked.items() if value]


book_options = gather_options(
    BookOptions,
    argument="book",
    options=(
        output_option("Folder of the delivery sheet", "<its name>-plan", when="for a whole book"),
        several_option("--chapter", "chapters", help="Only the chapter with this title, of a whole book."),
        click.option("--narration/--no-narration", default=True, help="Plan narration of a whole book, or leave it."),
        several_option(
            "--format", "formats", type=click.Choice(FORMATS), help="File of the sheet to write; by default all."
        ),
        choice_option("--ssml", "dialect", DIALECTS, "Vocabulary of the SSML: the W3C's, or Azure's with its styles."),
        click.option("--voices", type=PATH, help="JSON object with the name of a TTS voice for each character."),
    ),
)


@click.command()
@click.argument("story", metavar="STORY", type=PATH)
@click.option("--line", help="Words of the line, as they stand in the story; without them the whole book is planned.")
@click.option("--occurrence", type=click.IntRange(1), help="Number of the line among several with these words.")
@several_option(
    "--role", "roles", help="Speaker of the line, by default the one that the story names; of a book, only their lines."
)
@click.option("--language", type=LANGUAGES, help="Language of the story; by default detected from its characters.")
@lang_option("Language of the output", otherwise="that of the story")
@book_options
@shown_option("--engine", default="built-in", shell_complete=names_of("engines"), help="Engine whose planner to use.")
@click.option("--planner", shell_complete=names_of("planners"), help="Another planner than the engine's.")
@settings_option("the planner", part="planner")
@click.option(
    "--voting",
    type=click.Choice(["none", "release", "paper", "one"]),
    help="Windows of the story that vote: those of the public release, those of the paper (filled up with later "
    "lines), or one window without a vote. The built-in planner reads everything at once unless one is named.",
)
@click.option("--thrifty", is_flag=True, help="Stop asking as soon as no other plan can win; the winner is the same.")
@add_options(*CACHE_OPTIONS)
@json_option
def plan(
    story: Path,
    line: str | None,
    occurrence: int | None,
    roles: Sequence[str],
    language: Language | None,
    lang: Language | None,
    book: BookOptions,
    engine: str,
    planner: str | None,
    settings: Sequence[str],
    voting: str | None,
    thrifty: bool,
    cache: Path | None,
    no_cache: bool,
    seed: int,
    as_json: bool,
) -> int:
    """Plan how a line of a story should sound, or all lines of a book or script.

    Emotion, intensity, rhythm, intonation, voice and recording condition, as the story around it asks, with the words
    of the story that it rests on and how sure it is; or that the story does not say. STORY is a text with one line of
    the story on each, subtitles (.srt), JSON, or a manifest.

    Without --line every line of a book is planned, into a folder with a delivery sheet for actors (HTML, CSV) and TTS
    systems (JSON, SSML). Stop it at any moment: the same command goes on.

    \b
    aptone plan story.txt --line "Is anybody there?" --planner api
    aptone plan book.txt -o sheet/ --role Mara --role Tom
    aptone plan book.txt -o sheet/ --ssml azure --voices voices.json
    """  # noqa: D301  (\b keeps click from joining the lines)
    parts = dict(map(setting, settings)) | ({"planner.thrifty": True} if thrifty else {})
    parts |= {"planner.voting": voting} if voting else {}
    made = make_planner(engine, planner=planner, settings=parts)
    if line is None:
        if occurrence is not None:
            raise UsageError(message("delivery.occurrence-without-line"))
        store_path = None if no_cache else cache or default_cache()
        run = _BookRun(made, engine, store_path, seed)
        return run.plan(story, book, roles, language=language, lang=lang, as_json=as_json)
    if book.given:
        raise UsageError(message("delivery.option-of-book", option=book.given[0]))
    if len(roles) > 1:
        raise UsageError(message("delivery.several-roles"))
    sample = line_of_story(story, line=line, occurrence=occurrence, role=roles[0] if roles else None, language=language)
    with nullcontext() if no_cache else closing(ReplyCache(cache or default_cache())) as store:
        planned = plan_sample(sample, made, seed=seed, store=store)
    if as_json:
        print_json(plan_reply(sample, planned))
        return 0
    print_text(f"{sample.target.role}: {sample.target.text}" if sample.target.role else sample.target.text)
    shown = lang or sample.language
    print_rich(plan_table(planned.plan, language=shown))
    print_about(made.about, language=shown)
    return 0


@dataclass(frozen=True, slots=True)
class _BookRun:
    """Plans a whole book in a folder, and writes its sheet."""

    planner: Planner
    engine: str
    cache: Path | None
    seed: int

    def plan(
        self,
        story: Path,
        options: BookOptions,
        roles: Sequence[str],
        *,
        language: Language | None,
        lang: Language | None,
        as_json: bool,
    ) -> int:
        """Plan the lines that are asked for, write the sheet, and say what was done."""
        book = read_whole_book(story, language=language)
        asked = LineChoice(frozenset(options.chapters), frozenset(roles), options.narration)
        choice = checked_choice(book, asked)
        voices = load_voices(options.voices) if options.voices is not None else None
        shown: Language = lang or book.language
        sheet = SheetOptions(options.formats or FORMATS, options.dialect, voices, shown)
        windows = BookWindows(book)
        folder = options.output or Path(f"{story.stem}-plan")
        ended = run_items(
            PlanItems(book, windows, choice),
            BookPlanStep(self.planner, windows),
            folder=folder,
            config=self._config(story),
            executor=InProcess(Registry("engines", Engine).load(self.engine).width),
            cache=self.cache,
            display=display_for(label="plan"),
            sync_interval=SYNC_INTERVAL,
        )
        written = write_sheet(folder, book, lambda: planned_lines(book, ended.run.entries, choice), sheet)
        lost = Counter(entry.outcome.reason for entry in ended.run.entries if entry.outcome.state is not State.DONE)
        self._print(book, folder, written, lost, len(ended.run.entries), shown, as_json=as_json)
        return LIMIT_REACHED if ended.stopped else int(bool(lost))

    def _config(self, story: Path) -> RunConfig:
        return RunConfig(
            verb="plan",
            engine=self.engine,
            settings={"planner": self.planner.signature},
            seed=self.seed,
            version=version("aptone"),
            inputs=(str(story),),
            command=typed_command(),
            surroundings=surroundings(),
            notes=self.planner.about.notes,
            licence=self.planner.about.licence,
        )

    def _print(
        self,
        book: Book,
        folder: Path,
        written: Sequence[Path],
        lost: Counter[str],
        planned: int,
        language: Language,
        *,
        as_json: bool,
    ) -> None:
        done = planned - lost.total()
        if as_json:
            print_json(
                folder=str(folder),
                files=[str(path) for path in written],
                lines=len(book.lines),
                planned=done,
                without_plan={translate(why, language): count for why, count in lost.items()},
            )
            return
        word = words(language, "delivery")
        print_text(word("planned", count=done, lines=len(book.lines)))
        for why, count in lost.most_common(MOST_REASONS):
            print_text(translate(message("delivery.without-plan", count=count, why=why), language))
        for path in dict.fromkeys(path.parent if path.suffix == ".ssml" else path for path in written):
            print_text(words(language, "production")("written_to", path=path))
        print_about(self.planner.about, language=language)
