"""What was answered in a task of a project, written to a file or folder in one of the formats."""

from pathlib import Path

from aptone.studio.exchange.exports import EXPORTS, Rows, export_dataset
from aptone.studio.exchange.splits import Split
from aptone.studio.project import Project

DATASET = "dataset"
FORMATS = (*EXPORTS, DATASET)


def export_to(
    project: Project,
    name: str,
    form: str,
    path: Path,
    *,
    rows: Rows = "ratings",
    split: Split | None = None,
    licence: str = "",
) -> Path:
    """Write the ratings of a task, people by pseudonym.

    Args:
        project: open.
        name: of the task.
        form: one of `FORMATS`; a dataset is a folder for Hugging Face's tools.
        path: of the file or folder.
        rows: one a rating, or one an item with what its raters and adjudicators say together; a dataset has both.
        split: of a dataset into train and test.
        licence: for the card of a dataset.

    Raises:
        NotFoundError: if there is no such task.
        AudioError: if a clip of a dataset cannot be read.
        RunError: if the file cannot be written.
    """
    task = project.tasks.get(name).task
    ratings = [row.rating for row in project.results.ratings(name)]
    settled = {item: one.answers for item, one in project.results.adjudications(name).items()}
    if form == DATASET:
        export_dataset(task, ratings, settled, path, folder=project.folder, split=split, licence=licence)
    else:
        EXPORTS[form](task, ratings, settled, path, rows=rows)
    return path
