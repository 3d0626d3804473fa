"""Former names of options outside of training: refused, with the new name in the message."""

import click
import pytest
from click.testing import CliRunner

from aptone.cli.build.dialogues import dialogues
from aptone.cli.build.paras2s import paras2s
from aptone.cli.build.s3bench import s3bench
from aptone.cli.build.style_corpus import style_corpus
from aptone.cli.build.surabench import surabench
from aptone.cli.commands import CommandWithRenames
from aptone.cli.rank import rank
from aptone.errors import UsageError

COMMANDS: tuple[tuple[click.Command, str, str], ...] = (
    (rank, "--least-lead", "--min-lead"),
    (style_corpus, "--least-quality", "--min-quality"),
    (style_corpus, "--largest-share", "--max-share"),
    (surabench, "--deviation", "--max-deviation"),
    (surabench, "--in-cell", "--max-per-cell"),
    (s3bench, "--nearest", "--clips-per-description"),
    (s3bench, "--kept", "--unshuffled-share"),
    (paras2s, "--tries", "--max-attempts"),
    (paras2s, "--near", "--duplicate-threshold"),
    (dialogues, "--tries", "--max-attempts"),
)


@pytest.mark.parametrize(("command", "old", "new"), COMMANDS)
def test_a_former_option_is_refused_with_the_new_one(command: click.Command, old: str, new: str) -> None:
    there = {option for one in command.params for option in one.opts}
    assert (old in there, new in there) == (False, True)
    with pytest.raises(UsageError, match=f"^{old} is now {new}\\.$"):
        CliRunner().invoke(command, [old, "1"], standalone_mode=False, catch_exceptions=False)


@pytest.mark.parametrize("command", list(dict.fromkeys(one for one, _, _ in COMMANDS)), ids=lambda one: str(one.name))
def test_every_rename_is_listed(command: click.Command) -> None:
    assert isinstance(command, CommandWithRenames)
    assert dict(command.renamed) == {old: new for one, old, new in COMMANDS if one is command}


def test_the_former_name_of_the_local_executor_is_refused_with_the_new_one() -> None:
    with pytest.raises(click.BadParameter, match="'here' is not one of 'local', 'processes', 'ray'"):
        CliRunner().invoke(rank, ["a.txt", "--executor", "here"], standalone_mode=False, catch_exceptions=False)
