import pytest

from aptone.errors import MissingExtraError, UsageError
from aptone.models import About


def test_a_part_whose_modules_are_there_can_run() -> None:
    about = About(modules=("json",))
    about.require("it")
    assert about.missing == ()


def test_a_part_that_lacks_a_module_names_it_and_the_pip_command() -> None:
    about = About(modules=("json", "no_such_module", "no_such_package.part"), extra="local")
    assert about.missing == ("no_such_module", "no_such_package.part")
    with pytest.raises(MissingExtraError, match=r'judge \'x\' .*no_such_module.*pip install .*\[local\]"'):
        about.require("judge 'x'")


def test_what_must_be_known_of_two_parts_is_the_union_of_both() -> None:
    planner = About(("a",), "llm", ("b.example",), ("careful",), "MIT")
    judge = About(("c",), "", ("a.example", "b.example"), ("careful", "slow"), "CC BY 4.0")
    assert planner + judge == About(
        ("a", "c"), "llm", ("a.example", "b.example"), ("careful", "slow"), "MIT, CC BY 4.0"
    )
    assert About() + About() == About()


def test_parameters_of_two_parts_add_up_only_where_both_say_theirs() -> None:
    assert (About(parameters=7) + About(parameters=8)).parameters == 15
    assert (About(parameters=7) + About()).parameters == 0


def test_a_part_that_lacks_a_program_names_it_and_what_installs_it() -> None:
    About(programs=(("python3", "apt install python3"),)).require("it")
    about = About(programs=(("no-such-program", "apt install nothing"),))
    with pytest.raises(UsageError, match=r"speaker 'x' needs the program no-such-program, .*: apt install nothing"):
        about.require("speaker 'x'")
    assert (about + about).programs == about.programs
