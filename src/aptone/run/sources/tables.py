"""Tables of text as sources: CSV and TSV."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.run.sources.manifest import delimiter_of
from aptone.run.sources.source import LARGEST_LINE, Fit, Row, unreadable

ENDINGS = (".csv", ".tsv")


@dataclass(frozen=True, slots=True)
class Table:
    """Table with a heading, its cells parted by commas, tabs or semicolons; every cell is text."""

    title: str = "table"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def fits(self, path: Path) -> Fit:
        """By the ending of its name."""
        return Fit.BY_NAME if path.suffix.lower() in ENDINGS and path.is_file() else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`; an empty cell is ``None``."""
        limit = csv.field_size_limit(LARGEST_LINE)
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                heading = file.readline(LARGEST_LINE)
                file.seek(0)
                reader = csv.DictReader(file, delimiter=delimiter_of(heading), strict=True)
                for row in reader:
                    where = f"{path}, line {reader.line_num}"
                    if None in row:
                        raise RecordError(message("sources.too-many-cells", where=where))
                    yield Row(where, {name: cell or None for name, cell in row.items()})
        except OSError as error:
            raise unreadable(path, error) from error
        except UnicodeDecodeError as error:
            raise RecordError(message("sources.not-utf-8", name=path, why=error.reason)) from error
        except csv.Error as error:
            raise RecordError(message("sources.no-table", name=path, why=str(error))) from error
        finally:
            csv.field_size_limit(limit)

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


TABLE = Table()
