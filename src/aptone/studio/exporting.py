"""What was answered in a task of a project, written to a file or folder in one of the formats."""

from pathlib import Path

from aptone.studio.project import Project

FORMATS = ("jsonl", "csv", "parquet", "dataset")


def export_to(project: Project, name: str, form: str, path: Path) -> Path:
    """Write the ratings of a task, people by pseudonym; what was settled stands beside what they said.

    Args:
        project: open.
        name: of the task.
        form: one of `FORMATS`; ``dataset`` is a folder for Hugging Face's tools.
        path: of the file or folder.

    Raises:
        NotFoundError: if there is no such task.
    """
    from aptone.studio.exports import export_csv, export_dataset, export_jsonl, export_parquet

    task = project.tasks.get(name).task
    ratings = [row.rating for row in project.results.ratings(name)]
    settled = {item: one.answers for item, one in project.results.adjudications(name).items()}
    if form == "dataset":
        export_dataset(task, ratings, settled, path, folder=project.folder)
    else:
        {"jsonl": export_jsonl, "csv": export_csv, "parquet": export_parquet}[form](task, ratings, settled, path)
    return path
