"""Hooks for MLflow, Weights & Biases and TensorBoard; each library is imported when its hook is made."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import UsageError
from aptone.run.folder import RunConfig
from aptone.types import Entry

LONGEST_VALUE = 250
"""Characters of a setting that are sent: trackers limit them."""


def _library(name: str, package: str) -> Any:
    if find_spec(name.partition(".")[0]) is None:
        raise UsageError(f"this hook needs {package}; install it with: pip install {package}")
    return import_module(name)


def _settings(config: RunConfig, folder: Path) -> dict[str, str]:
    named = {"verb": config.verb, "engine": config.engine, "seed": config.seed, "version": config.version}
    return {key: str(value)[:LONGEST_VALUE] for key, value in {**named, **config.settings, "folder": folder}.items()}


class _Means:
    """Counts of states and running means of scores, which are all that is held of the items."""

    def __init__(self) -> None:
        self.items = 0
        self.states: dict[str, int] = {}
        self._sums: dict[str, tuple[float, int]] = {}

    def add(self, entry: Entry) -> dict[str, float]:
        """Count an item and return its scores as far as they are numbers."""
        self.items += 1
        state = entry.outcome.state.value
        self.states[state] = self.states.get(state, 0) + 1
        scores = {name: score.value for name, score in entry.outcome.scores.items() if score.is_defined}
        for name, value in scores.items():
            total, count = self._sums.get(name, (0.0, 0))
            self._sums[name] = (total + value, count + 1)
        return scores

    def summary(self) -> dict[str, float]:
        """Return the means and counts."""
        means = {f"mean_{name}": total / count for name, (total, count) in self._sums.items()}
        return {**means, **{f"items_{state}": float(count) for state, count in self.states.items()}}


class MlflowHook:
    """Logs settings, every item's scores by step, and the means at the end to MLflow.

    Args:
        experiment: name of the experiment.
        uri: address of the tracking server; by default what MLflow is set to.
    """

    def __init__(self, *, experiment: str = "aptone", uri: str = "") -> None:
        self._mlflow = _library("mlflow", "mlflow")
        self._experiment, self._uri, self._means = experiment, uri, _Means()

    def on_start(self, config: RunConfig, folder: Path) -> None:
        """Start a run of MLflow."""
        if self._uri:
            self._mlflow.set_tracking_uri(self._uri)
        self._mlflow.set_experiment(self._experiment)
        self._mlflow.start_run(run_name=folder.name)
        self._mlflow.log_params(_settings(config, folder))

    def on_item(self, entry: Entry) -> None:
        """Log the scores of an item."""
        if scores := self._means.add(entry):
            self._mlflow.log_metrics(scores, step=self._means.items)

    def on_end(self, stopped: str) -> None:
        """Log the means and end the run of MLflow."""
        self._mlflow.log_metrics(self._means.summary())
        self._mlflow.set_tag("stopped", stopped)
        self._mlflow.end_run()


class WandbHook:
    """Logs settings, every item's scores by step, and the means at the end to Weights & Biases.

    Args:
        project: name of the project.
        mode: ``online``, ``offline`` or ``disabled``; by default what the library is set to.
    """

    def __init__(self, *, project: str = "aptone", mode: str = "") -> None:
        self._wandb = _library("wandb", "wandb")
        self._project, self._mode, self._means = project, mode, _Means()
        self._run: Any = None

    def on_start(self, config: RunConfig, folder: Path) -> None:
        """Start a run of Weights & Biases."""
        mode = {"mode": self._mode} if self._mode else {}
        self._run = self._wandb.init(project=self._project, name=folder.name, config=_settings(config, folder), **mode)

    def on_item(self, entry: Entry) -> None:
        """Log the scores of an item."""
        if scores := self._means.add(entry):
            self._run.log(scores, step=self._means.items)

    def on_end(self, stopped: str) -> None:
        """Log the means and end the run of Weights & Biases."""
        self._run.summary.update({**self._means.summary(), "stopped": stopped})
        self._run.finish()


class TensorBoardHook:
    """Writes settings, every item's scores by step, and the means at the end for TensorBoard.

    Args:
        folder: folder of the event files; by default ``tensorboard`` in the run folder.
    """

    def __init__(self, *, folder: str = "") -> None:
        self._module = _library("tensorboard.summary", "tensorboard")
        self._folder, self._means = folder, _Means()
        self._writer: Any = None

    def on_start(self, config: RunConfig, folder: Path) -> None:
        """Open the event file."""
        self._writer = self._module.Writer(self._folder or str(folder / "tensorboard"))

    def on_item(self, entry: Entry) -> None:
        """Write the scores of an item."""
        for name, value in self._means.add(entry).items():
            self._writer.add_scalar(name, value, self._means.items)

    def on_end(self, stopped: str) -> None:
        """Write the means and close the event file."""
        for name, value in self._means.summary().items():
            self._writer.add_scalar(name, value, self._means.items)
        self._writer.close()
