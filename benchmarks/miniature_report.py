"""From what the rows of the miniature said to the result file and the table: see `benchmarks.miniature`."""

import json
import platform
from importlib.metadata import version
from pathlib import Path

from aptone.train.ablation.results import ablation_lines, ablation_record, read_result
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "miniature.json"


def report(folder: Path, *, part: str, out: Path | None) -> None:
    """Print the table of a part, and write the result file."""
    results = [read_result(path) for path in sorted(folder.glob(f"row-*-{part}*.json"))]
    record = {
        "part": part,
        "python": platform.python_version(),
        "aptone": version("aptone"),
        "goals": {"LCC of row 12": 0.60, "above shuffled clips": 0.3},
        **ablation_record(results),
    }
    print("\n".join(ablation_lines(record)))
    (out or RESULTS).write_text(
        json.dumps(with_revisions(record, "ear", "judge"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
