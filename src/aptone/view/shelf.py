"""The runs that a view shows: found below the given folders, and indexed in the background, also while they go on."""

import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from aptone.errors import RunError, UsageError
from aptone.messages import message
from aptone.run.folder import TRUST, RunConfig, is_run_folder, read_config, read_trust
from aptone.run.index import JournalIndex
from aptone.types import Estimate, TrustCard
from aptone.view.estimates import mean_estimate

DEEPEST = 3
"""Levels below a given folder at which runs are looked for."""
MOST_FOLDERS = 20_000
"""Folders that are looked into below one that was given."""
MOST_RUNS = 1_000
SLICE = 0.5
"""Seconds that one journal is read at a time, so that the others are not kept waiting."""
PAUSE = 1.0
"""Seconds between two looks at journals that have not grown."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run in a list.

    Args:
        items: items that have an entry; `expected` is how many the input had, 0 where that is not known.
        states: number of items in each state.
        mean: of the main score, with its interval.
        trust: trust card, written when a run ends; ``None`` before that.
        progress: share of the journal that is indexed.
        damaged: whole lines of the journal that hold no entry.
    """

    key: str
    name: str
    verb: str
    engine: str
    score: str
    items: int
    expected: int
    states: dict[str, int]
    mean: Estimate
    higher_is_better: bool | None
    range: tuple[float, float] | None
    cost: float
    seconds: float
    finished: str
    trust: TrustCard | None
    progress: float
    damaged: int
    revision: int

    @property
    def pending(self) -> int:
        """Items of the input that have no entry yet."""
        return max(0, self.expected - self.items)


class ShelvedRun:
    """One run: its configuration, its index, and figures that are worked out again only when it has changed."""

    def __init__(self, key: str, folder: Path, config: RunConfig, index: JournalIndex) -> None:
        self.key = key
        self.folder = folder
        self.config = config
        self.index = index
        self._facts: RunFacts | None = None
        self._labels: tuple[int, dict[str, dict[str, int]]] = (-1, {})
        self._trust: tuple[tuple[int, int], TrustCard | None] = ((0, 0), None)

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.resolve().name

    def facts(self) -> RunFacts:
        """Figures of the run, as far as it is indexed."""
        revision, trust = self.index.revision, self.trust()
        known = self._facts
        if known is not None and known.revision == revision and known.trust == trust:
            return known
        score = self.index.main_score()
        scale = next((one for one in self.index.score_names() if one.name == score), None)
        states = self.index.states()
        cost, seconds, finished = self.index.totals()
        self._facts = facts = RunFacts(
            key=self.key,
            name=self.name,
            verb=self.config.verb,
            engine=self.config.engine,
            score=score,
            items=sum(states.values()),
            expected=self.config.expected,
            states=states,
            mean=mean_estimate(self.index, score),
            higher_is_better=None if scale is None else scale.higher_is_better,
            range=None if scale is None else scale.range,
            cost=cost,
            seconds=seconds,
            finished=finished,
            trust=trust,
            progress=self.index.progress(),
            damaged=self.index.damaged_lines()[0],
            revision=revision,
        )
        return facts

    def labels(self) -> dict[str, dict[str, int]]:
        """Labels that items are filtered by, and the number of items with each value."""
        revision = self.index.revision
        if self._labels[0] != revision:
            self._labels = revision, self.index.label_values()
        return self._labels[1]

    def trust(self) -> TrustCard | None:
        """The trust card; ``None`` while there is none that can be read."""
        try:
            found = (self.folder / TRUST).stat()
        except OSError:
            return None
        state = found.st_mtime_ns, found.st_size
        if self._trust[0] != state:
            card = None
            with suppress(RunError):
                card = read_trust(self.folder)
            self._trust = state, card
        return self._trust[1]


class Shelf:
    """All runs of a view. Use it as a context manager: it indexes in a thread of its own until it is left.

    Args:
        folders: run folders, or folders that hold some; more of them may appear below while it is open.
        indexes: folder of the indexes; by default that of the user's cache.

    Raises:
        UsageError: if a folder does not exist.
    """

    def __init__(self, folders: Sequence[Path], *, indexes: Path | None = None) -> None:
        if missing := [folder for folder in folders if not folder.is_dir()]:
            raise UsageError(message("view.no-such-folder", name=missing[0]))
        self._folders = tuple(folders)
        self._indexes = indexes
        self._runs: dict[str, ShelvedRun] = {}
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, name="aptone-view-index", daemon=True)
        self.find()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    @property
    def runs(self) -> tuple[ShelvedRun, ...]:
        """All runs, in the order in which they were found."""
        with self._lock:
            return tuple(self._runs.values())

    def run(self, key: str) -> ShelvedRun:
        """One run.

        Raises:
            KeyError: if there is none of that name.
        """
        with self._lock:
            return self._runs[key]

    def find(self) -> None:
        """Look for runs that are not known yet."""
        with self._lock:
            known = {run.folder for run in self._runs.values()}
        for folder in found_runs(self._folders):
            if folder in known or len(self._runs) >= MOST_RUNS:
                continue
            with suppress(RunError):  # one that is just being made is found the next time
                config = read_config(folder)
                file = None if self._indexes is None else self._indexes / f"{len(self._runs)}.sqlite"
                index = JournalIndex(folder, file=file)
                with self._lock:
                    key = unused_key(folder.name, self._runs)
                    self._runs[key] = ShelvedRun(key, folder, config, index)

    def refresh(self) -> None:
        """Index everything to its end; for tests and for whoever cannot wait."""
        for run in self.runs:
            while not run.index.refresh():
                pass

    def _work(self) -> None:
        while not self._ending.is_set():
            whole = True
            self.find()
            for run in self.runs:
                if self._ending.is_set():
                    return
                with suppress(RunError):  # a folder that is gone for now; its page says so
                    whole = run.index.refresh(seconds=SLICE) and whole
            if whole:
                self._ending.wait(PAUSE)


def found_runs(folders: Sequence[Path]) -> Iterator[Path]:
    """Run folders among these and below them, in the order of their paths; links below are not followed."""
    for folder in folders:
        resolved = folder.resolve()
        if is_run_folder(resolved):
            yield resolved
            continue
        for looked, (path, below, _) in enumerate(os.walk(resolved)):
            place = Path(path)
            below[:] = sorted(name for name in below if not name.startswith("."))
            if is_run_folder(place):
                yield place
                below.clear()
            elif len(place.relative_to(resolved).parts) >= DEEPEST or looked > MOST_FOLDERS:
                below.clear()


def unused_key(name: str, taken: "dict[str, ShelvedRun]") -> str:
    """A name for addresses: letters, digits and dashes, and a number where two folders have one name."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    key, number = plain, 2
    while key in taken:
        key, number = f"{plain}-{number}", number + 1
    return key
