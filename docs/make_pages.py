"""Run the commands that the pages show, write what they print into the pages, and take their pictures.

    python -m docs.make_pages                 # every page
    python -m docs.make_pages start/tts-engineer use/hear

Marks in a page, which neither a forge nor Sphinx shows:

- ``<!-- setup COMMAND -->`` runs a shell command whose output nobody needs; ``PAGE`` names the page.
- ``<!-- run -->`` before a ``console`` block: every line that begins with ``$`` is run, and what it prints is put
  below it. Before a ``python`` block: the code is run, and the ``text`` block behind it gets what it prints. Options:
  ``from=WORD`` and ``until=WORD`` begin at the first line with a word and end before the next one with another
  (``_`` stands for a space), ``lines=1-6,-2`` keeps some lines (negative numbers count from the end); an ellipsis
  stands for what is left out. ``stop=WORD`` interrupts a server once it has printed a word, ``exit=2`` expects an
  error, ``needs=MODULE`` leaves the block as it is where a module is missing.
- ``<!-- kept REASON -->`` before a block whose output comes from a real run that is not repeated for each release.
- ``<!-- picture file=run/report.html … -->`` before an image: see `docs/page_pictures.py`.

`tests/test_pages.py` checks that every command is followed by what one sees.
"""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.page_inputs import ROOT, make_inputs
from docs.page_pictures import take_picture

DOCS = ROOT / "docs"
WIDTH = 96
ELLIPSIS = "…"
README = ROOT / "README.md"
PROGRESS = re.compile(r".+?: +(\d+ done before, |ended at |\d+/\d+, |\d+%\|)")
"""A terminal shows a bar in the place of these lines, which comes and goes."""

MARK = re.compile(r"^<!-- (?P<kind>setup|run|kept|picture)(?P<rest>[^\n]*?) ?-->$", flags=re.MULTILINE)
FENCE = re.compile(r"```(?P<language>\w*)\n(?P<body>.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A marked block of a page.

    Args:
        kind: setup, run, kept or picture.
        rest: what else the mark says.
        language: of the fence behind the mark; empty where none follows.
        body: within the fence.
        start: where the fence begins in the page.
        end: where it ends.
    """

    kind: str
    rest: str
    language: str = ""
    body: str = ""
    start: int = 0
    end: int = 0

    @property
    def options(self) -> dict[str, str]:
        """The parts of the mark that have the form name=value."""
        return dict(part.split("=", 1) for part in self.rest.split() if "=" in part)


def pages() -> list[Path]:
    """All pages with commands: those of the documentation, and the README."""
    made = {DOCS / "cli.md"}
    return [README, *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts and path not in made)]


def blocks(text: str) -> Iterator[Block]:
    """The marked blocks of a page, in order."""
    for mark in MARK.finditer(text):
        kind, rest = mark["kind"], mark["rest"].strip()
        fence = FENCE.match(text, mark.end() + 1) if kind in {"run", "kept"} else None
        if fence is None:
            yield Block(kind, rest, start=mark.end() + 1, end=mark.end() + 1)
        else:
            yield Block(kind, rest, fence["language"], fence["body"], fence.start(), fence.end())


def commands(body: str) -> list[str]:
    """The commands of a console block, continued lines joined as they stand."""
    found: list[str] = []
    continued = False
    for line in body.splitlines():
        if continued:
            found[-1] += f"\n{line}"
        elif line.startswith("$ "):
            found.append(line[2:])
        else:
            continue
        continued = line.endswith("\\")
    return found


def chosen(printed: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """The lines of an output that a mark asks for; an ellipsis stands for what is left out between and around them."""
    keep = set(range(len(printed)))
    first = _place(printed, options.get("from", ""), 0)
    last = _place(printed, options["until"], first) if "until" in options else len(printed)
    keep &= set(range(first, last))
    if "lines" in options:
        keep &= set(_indices(options["lines"], len(printed)))
    result: list[str] = []
    for index, line in enumerate(printed):
        if index in keep:
            result.append(line)
        elif result[-1:] != [ELLIPSIS]:
            while result and not result[-1]:
                result.pop()
            result.append(ELLIPSIS)
    return result


def _place(printed: Sequence[str], word: str, start: int) -> int:
    """The first line from `start` on that holds a word."""
    for index in range(start, len(printed)):
        if word.replace("_", " ") in printed[index]:
            return index
    raise SystemExit(f"no line of the output holds {word!r}:\n" + "\n".join(printed))


def _indices(lines: str, count: int) -> Iterator[int]:
    for part in lines.split(","):
        match = re.fullmatch(r"(-?\d+)(?:-(\d+))?", part)
        if match is None:
            raise SystemExit(f"lines={lines}: expected ranges such as 1-6,-2")
        first = int(match[1])
        for number in range(first, int(match[2] or first) + 1):
            yield number - 1 if number > 0 else count + number


class Desk:
    """The folder in which the commands of a page run."""

    def __init__(self, folder: Path, page: Path) -> None:
        self.folder = folder
        self.code = 0
        programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        python = os.pathsep.join([str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.environment = {
            **os.environ,
            "PATH": programs,
            "PYTHONPATH": python,
            "COLUMNS": str(WIDTH),
            "TERM": "dumb",
            "APTONE_CACHE": str(folder.parent / "cache.sqlite"),
            "APTONE_AUDIO_CACHE": str(folder.parent / "audio"),
            "PAGE": str(page),
        }

    def run(self, command: str, *, stop: str = "") -> list[str]:
        """What a shell command prints, both streams together; one that never ends is interrupted at a word."""
        lines = []
        with subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:  # as bytes: text would end a line at every return of a progress bar
                lines.append(line.decode())
                if stop and stop in lines[-1]:
                    os.killpg(process.pid, signal.SIGINT)
                    stop = ""
        self.code = process.returncode
        return self._cleaned("".join(lines))

    def _cleaned(self, printed: str) -> list[str]:
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed)
        text = text.replace(f"{self.folder}/", "").replace(str(self.folder), ".").replace(str(ROOT / "src"), "src")
        text = text.replace(str(ROOT), f"{ELLIPSIS}/aptone")
        text = re.sub(r"\S*/(aptone-demo-)\w+", rf"\1{ELLIPSIS}", text)
        text = re.sub(r"(/join#)[\w-]+", rf"\1{ELLIPSIS}", text)
        shown = [(line, line.rpartition("\r")[2].rstrip()) for line in text.split("\n")]
        lines = [last for line, last in shown if last or "\r" not in line]  # a bar that was wiped out leaves nothing
        lines = [part for line in lines if PROGRESS.match(line) is None for part in _wrapped(line)]
        while lines and not lines[0]:
            del lines[0]
        while lines and not lines[-1]:
            del lines[-1]
        return lines


def _wrapped(line: str) -> list[str]:
    """A line of prose as a terminal of that width breaks it; tables are as wide already."""
    if len(line) <= WIDTH + 10 or "  " in line.strip():
        return [line]
    return textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def console(block: Block, desk: Desk) -> str:
    """The body of a console block with what its commands print today."""
    options = block.options
    lines: list[str] = []
    exports = ""
    for command in commands(block.body):
        lines += [f"$ {row}" if number == 0 else row for number, row in enumerate(command.split("\n"))]
        if command.startswith("export "):
            exports += f"{command}; "
            continue
        printed = desk.run(exports + command, stop=options.get("stop", ""))
        if desk.code > 1 and "stop" not in options and options.get("exit") != str(desk.code):
            raise SystemExit(f"{command}\nexits with {desk.code}:\n" + "\n".join(printed))
        lines += chosen(printed, options) if len(printed) > 1 else printed
    return "\n".join(lines) + "\n"


def python(block: Block, desk: Desk) -> str:
    """What a python block prints."""
    script = desk.folder.parent / "code.py"
    script.write_text(block.body, encoding="utf-8")
    printed = desk.run(f"{sys.executable} {script}")
    if desk.code:
        raise SystemExit("\n".join(printed))
    return "\n".join(chosen(printed, block.options)) + "\n"


def made(text: str, page: Path, desk: Desk) -> str:
    """A page with all outputs as they are today; pictures are written beside."""
    parts, place = [], 0
    for block in blocks(text):
        module = block.options.get("needs", "") if block.kind == "run" else ""
        if module and importlib.util.find_spec(module) is None:
            sys.stderr.write(f"{page.name}: a block stays as it is, {module} is not installed\n")
            continue
        if block.kind == "setup":
            stop, command = block.options.get("stop", ""), re.sub(r"^stop=\S+ ", "", block.rest)
            printed = desk.run(f"set -e; {command}", stop=stop)
            sys.stderr.writelines(f"  setup: {line}\n" for line in printed[-3:])
        elif block.kind == "picture":
            image = re.compile(r"!\[[^]]*\]\(([^)]+)\)").match(text, block.start)
            if image is None:
                raise SystemExit(f"{page}: no image behind <!-- picture {block.rest} -->")
            take_picture((page.parent / image[1]).resolve(), desk.folder, desk.environment, block.options)
        elif block.kind == "run" and block.language == "console":
            parts += [text[place : block.start], f"```console\n{console(block, desk)}```"]
            place = block.end
        elif block.kind == "run" and block.language == "python":
            output = re.compile(r"\n\n```text\n.*?^```$", flags=re.DOTALL | re.MULTILINE).match(text, block.end)
            if output is None:
                raise SystemExit(f"{page}: no text block behind the code {block.body[:40]!r}")
            parts += [text[place : block.end], f"\n\n```text\n{python(block, desk)}```"]
            place = output.end()
        elif block.kind == "run":
            raise SystemExit(f"{page}: <!-- run --> stands before a block that is neither console nor python")
    return "".join([*parts, text[place:]])


def main(names: Sequence[str]) -> None:
    """Write the pages anew, all of them or those that are named."""
    wanted = [page for page in pages() if not names or any(page.match(f"{name}.md") for name in names)]
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs"
        inputs.mkdir()
        make_inputs(inputs)
        for number, page in enumerate(wanted):
            text = page.read_text(encoding="utf-8")
            if not any(block.kind != "kept" for block in blocks(text)):
                continue
            sys.stderr.write(f"{page.relative_to(ROOT)}\n")
            place = Path(folder) / str(number) / "desk"
            shutil.copytree(inputs, place)
            new = made(text, page, Desk(place, page))
            if new != text:
                page.write_text(new, encoding="utf-8")
            shutil.rmtree(place.parent)


if __name__ == "__main__":
    main(sys.argv[1:])
