"""A run on the disk: its configuration, its journal, the lock that keeps a second writer out, and its recordings.

A journal names recordings by absolute paths, since nobody knows in which folder the next command is typed, and by the
hash of their bytes. When a run and its recordings are moved together, the paths lead nowhere, or to recordings of
the same name that have changed since; but the end of each path still holds, below one of the folders around the run.
There it is looked for, and the hash tells whether it is the one.
"""

import contextlib
import os
import platform
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from filelock import FileLock, Timeout

from aptone.errors import RecordError, RunError, UsageError
from aptone.files import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    file_hash,
    make_folder,
    remove_partials,
    unusable,
    write_whole,
)
from aptone.messages import message, restore, split_messages, with_messages
from aptone.run.entries import HELD_BYTES, count_states, in_input_order, load_entries
from aptone.run.http.keys import hide_environment_keys
from aptone.run.journal import Journal
from aptone.run.known import KnownItems
from aptone.run.sources.manifest import flat_row, to_pandas, to_polars
from aptone.types import (
    AudioRef,
    Displayed,
    Entry,
    Json,
    State,
    TrustCard,
    dumps,
    from_json,
    loads,
    schema_name,
    to_json,
)

CONFIG, JOURNAL, TRUST, REPORT, LOCK = "config.json", "journal.jsonl", "trust.json", "report.html", ".lock"
LEDGER = "ledger"
"""Folder of a run over shards (`aptone.run.sharded`) that says which of them are done."""
REFERENCE = "reference.json"
"""References of voices (`aptone.ear.reference`), which are made before the run begins."""
BEFORE = (LOCK, REFERENCE)
"""Files that may be there before the configuration."""

_RECORDED_PACKAGES = ("numpy", "onnxruntime", "soundfile", "soxr")


Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything needed to repeat a run.

    What can change a score is compared when a run is resumed: verb, engine, settings, seed and version. The rest is
    there for the reader.

    Args:
        settings: everything else that a score depends on: planner, judge, prompts, weights, thresholds.
        consent: machines to which the user has agreed to send audio.
        expected: number of items in the input of the latest session; 0 when it did not know its length.
        run_id: tells this run from all others; the run folder gives it when it is made. What a reply has cost is
            counted for the run that asked for it.
    """

    verb: str
    engine: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    seed: int = 0
    version: str = ""
    inputs: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    surroundings: Mapping[str, str] = field(default_factory=dict)
    consent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    licence: str = ""
    expected: int = 0
    run_id: str = ""

    def __post_init__(self) -> None:
        if self.seed.bit_length() > 63:  # it could be written, but not read again
            raise UsageError(f"a seed has at most 63 bits, got {self.seed}; choose a smaller number.")

    def differences(self, other: Self) -> list[str]:
        """Return the differences that can change a score, one sentence each."""
        found = [
            f"{name}: {getattr(self, name)!r} then, {getattr(other, name)!r} now"
            for name in ("verb", "engine", "seed", "version")
            if getattr(self, name) != getattr(other, name)
        ]
        for name in sorted({*self.settings, *other.settings}):
            then, now = dumps(self.settings.get(name)), dumps(other.settings.get(name))
            if then != now:
                found.append(f"{name}: {then} then, {now} now")
        return found


def typed_command() -> tuple[str, ...]:
    """Return the arguments of this program, without keys of the environment."""
    return tuple(map(hide_environment_keys, sys.argv[1:]))


def surroundings() -> dict[str, str]:
    """Versions of Python and of the packages that compute."""
    found = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    for package in _RECORDED_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True, slots=True)
class Run(Displayed):
    """A run, finished or not, as its folder has it: the valid entry of each item and repeat, in the input's order.

    Args:
        entries: a tuple where the journal is short; else a sequence whose records stay on the disk and are read when
            they are asked for (`aptone.run.entries`). Each time round reads the journal, so go round once.
    """

    folder: Path
    config: RunConfig
    entries: Sequence[Entry]

    @property
    def main_score(self) -> str:
        """Name of the main score of the first scored item; empty when nothing is scored."""
        return next((entry.outcome.main_score for entry in self.entries if entry.outcome.main_score), "")

    @property
    def states(self) -> Mapping[State, int]:
        """Number of entries in each state, repeats included."""
        return count_states(self.entries)

    def rows(self) -> list[dict[str, Json]]:
        """One flat row an entry: id, state, scores, costs, and the plain fields of the item."""
        return [flat_row(entry) for entry in self.entries]

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        return to_pandas(self.rows())

    def to_polars(self) -> Any:
        """The rows as a polars data frame."""
        return to_polars(self.rows())


def is_run_folder(path: Path) -> bool:
    """Check that a folder holds a run."""
    return (path / CONFIG).is_file() and (path / JOURNAL).is_file()


def is_sharded(path: Path) -> bool:
    """Check that a folder holds a run over shards, which has no journal of its own."""
    return (path / LEDGER).is_dir()


def load_run(folder: str | Path) -> Run:
    """Read a run folder, also while the run goes on.

    Raises:
        RunError: if the folder is not one of ours, is damaged, or holds a run over shards that were not merged.
    """
    path = Path(folder)
    config = read_config(path)
    if is_sharded(path):
        raise RunError(message("run.is-sharded", folder=path))
    return Run(folder=path, config=config, entries=load_entries(path / JOURNAL))


def read_config(folder: Path) -> RunConfig:
    """Read the configuration of a run.

    Raises:
        RunError: if the folder is not one of ours or is damaged.
    """
    config = _read_config(folder)
    if config is None:
        raise RunError(f"{folder}: not a run folder (it has no {CONFIG}). Expected the folder given with -o to a run.")
    return config


def write_config(folder: Path, config: RunConfig) -> None:
    """Write the configuration of a run as it is, its id included; raises `RunError` if it cannot be written."""
    write_whole(folder / CONFIG, dumps(with_messages(to_json(config), of=config), indent=2), private=True)


class ConfiguredFolder:
    """A folder with a configuration that this process may write to; only its owner may read a new one.

    Use it as a context manager.

    While it is open, `config` is the configuration that the folder holds.

    Args:
        path: it is made if it does not exist.
        config: config of this run. If the folder has one, both must agree in everything that can change a score.

    Raises:
        RunError: if another process uses the folder, the configuration has changed, or the folder holds other files.
    """

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config

    def __enter__(self) -> Self:
        make_folder(self.path, private=True)
        try:
            self._refuse_strangers()
            self._make_private()
            self._take_lock()
        except OSError as error:
            raise unusable(self.path, error, doing="use") from error
        try:
            self._open()
        except OSError as error:
            self._lock.release()
            raise unusable(self.path, error, doing="use") from error
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._lock.release()

    def _open(self) -> None:
        remove_partials(self.path, ours=CONFIG, shared=(TRUST, REPORT))
        self.config = self._agree_on_config()

    def _refuse_strangers(self) -> None:
        if not (self.path / CONFIG).exists() and any(
            child.name not in BEFORE and not child.name.endswith(".partial") for child in self.path.iterdir()
        ):
            raise RunError(
                f"{self.path}: holds other files and no run; name a new folder, so that nothing is mixed up."
            )

    def _make_private(self) -> None:
        """Let only the owner read a new run. One that goes on stays as its owner has set it."""
        if not (self.path / CONFIG).exists():
            with contextlib.suppress(PermissionError):  # the folder is somebody else's; the files in it are ours
                self.path.chmod(PRIVATE_FOLDER)

    def _take_lock(self) -> None:
        self._lock = FileLock(self.path / LOCK, mode=PRIVATE_FILE, blocking=False)
        try:
            self._lock.acquire()
        except Timeout:
            raise RunError(
                f"{self.path}: another process is working on this run; wait for it, or name another folder."
            ) from None
        except (OSError, NotImplementedError) as error:  # the latter: a file system that knows no locks
            raise RunError(
                f"{self.path / LOCK}: cannot be locked ({error}). Fix that, or name another folder for the run."
            ) from error

    def _agree_on_config(self) -> RunConfig:
        existing = _read_config(self.path)
        if existing is None:
            agreed = replace(self.config, run_id=secrets.token_hex(8))
        elif differences := existing.differences(self.config):
            raise RunError(
                f"{self.path}: this run was made with another configuration ({'; '.join(differences)}). "
                "Name a new folder, or repeat the old command."
            )
        else:
            consent = tuple(sorted({*existing.consent, *self.config.consent}))
            expected = self.config.expected or existing.expected
            run_id = existing.run_id or secrets.token_hex(8)
            agreed = replace(existing, consent=consent, expected=expected, run_id=run_id)
        if agreed != existing:
            write_config(self.path, agreed)
        return agreed


class RunFolder(ConfiguredFolder):
    """A run folder with its journal that this process may write to; see `ConfiguredFolder`.

    Args:
        sync_interval: see `Journal`.

    Raises:
        RunError: also if the folder holds a run over shards.
    """

    def __init__(self, path: Path, config: RunConfig, *, sync_interval: float = 0.0) -> None:
        super().__init__(path, config)
        self._sync_interval = sync_interval

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            self.journal.close()
        finally:
            super().__exit__()

    def _open(self) -> None:
        if is_sharded(self.path):
            raise RunError(message("run.is-sharded", folder=self.path))
        super()._open()
        self.journal = Journal(self.path / JOURNAL, sync_interval=self._sync_interval, hold_bytes=HELD_BYTES)

    def run(self) -> Run:
        """Return the run of a folder that is closed; a new and short journal is not read again."""
        if self.journal.written is None:
            return load_run(self.path)
        return Run(self.path, read_config(self.path), in_input_order(self.journal.written))

    def known_items(self) -> KnownItems:
        """Return what earlier sessions worked on."""
        return KnownItems(self.path / JOURNAL)


def write_trust(folder: Path, card: TrustCard) -> None:
    """Write the trust card of a run; raises `RunError` if it cannot be written."""
    write_whole(folder / TRUST, dumps(with_messages(to_json(card), of=card), indent=2), private=True)


def read_trust(folder: Path) -> TrustCard:
    """Read the trust card of a run; raises `RunError` if there is none, or it is damaged."""
    path = folder / TRUST
    try:
        return _read_record(TrustCard, path)
    except FileNotFoundError:
        raise RunError(f"{path}: there is no trust card yet; make it with: aptone report {folder}") from None
    except OSError as error:
        raise unusable(path, error, doing="read") from error
    except RecordError as error:
        raise RunError(f"{path}: damaged ({error}) Make it again with: aptone report {folder}") from error


def _read_record(kind: type[Record], path: Path) -> Record:
    record, messages = split_messages(loads(path.read_bytes(), what=str(path)))
    return restore(from_json(kind, record), messages)


def _read_config(folder: Path) -> RunConfig | None:
    path = folder / CONFIG
    try:
        return _read_record(RunConfig, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unusable(path, error, doing="read") from error
    except RecordError as error:
        raise RunError(f"{path}: damaged ({error}) Name a new folder.") from error


class Whereabouts:
    """Finds the recordings that a run names. Each file is hashed once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._hashes: dict[Path, str] = {}

    def locate(self, ref: AudioRef) -> AudioRef:
        """The same recording, by the place where it lies now.

        It is the one that the journal names if that is there and has not changed. Else it is one with the same bytes
        that lies by the run as the other did: below the folder of the run or one around it, the nearest first, at an
        end of the old path, the longest first. Without a hash nothing tells two recordings of one name apart; then only
        the folder of the run itself is searched, where all belongs to the run.

        A recording that is nowhere keeps the place that the journal names.
        """
        if self._is_it(ref, Path(ref.path)):
            return ref
        for place in self._places(ref):
            if self._is_it(ref, place):
                return replace(ref, path=str(place))
        return ref

    def locate_all(self, entry: Entry) -> Entry:
        """An entry whose item and evidence name recordings by where they lie now."""
        item = replace(entry.item, payload={name: self._within(value) for name, value in entry.item.payload.items()})
        evidence = {name: self._within(value) for name, value in entry.outcome.evidence.items()}
        return replace(entry, item=item, outcome=replace(entry.outcome, evidence=evidence))

    def _within(self, value: Json) -> Json:
        if isinstance(value, Mapping):
            if value.get("schema") != schema_name(AudioRef):
                return {name: self._within(inner) for name, inner in value.items()}
            with contextlib.suppress(RecordError):  # whoever reads it says what is wrong with it
                return to_json(self.locate(from_json(AudioRef, value)))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            return [self._within(inner) for inner in value]
        return value

    def _places(self, ref: AudioRef) -> Iterator[Path]:
        old = Path(os.path.normpath(ref.path))
        names = [name for name in old.parts if name not in (old.anchor, os.pardir)]
        for root in (self._folder, *(self._folder.parents if ref.sha256 else ())):
            for first in range(len(names)):
                yield root.joinpath(*names[first:])

    def _is_it(self, ref: AudioRef, place: Path) -> bool:
        digest = self._hashes.get(place) or file_hash(place)
        if not digest:
            return False
        self._hashes[place] = digest
        return digest == (ref.sha256.lower() or digest)
