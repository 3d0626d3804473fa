import os

import pytest

import aptone.cli.main
from aptone.__main__ import ALGEBRA_THREADS, main


def test_ctrl_c_before_the_command_line_has_begun_is_met_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(aptone.cli.main, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("3", "3")])
def test_small_matrices_are_multiplied_in_one_thread_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, given: str | None, expected: str
) -> None:
    for variable in ALGEBRA_THREADS:
        monkeypatch.delenv(variable, raising=False)
        if given is not None:
            monkeypatch.setenv(variable, given)
    monkeypatch.setattr(aptone.cli.main, "main", lambda: None)
    main()
    found = {os.environ[variable] for variable in ALGEBRA_THREADS}
    for variable in ALGEBRA_THREADS:
        monkeypatch.setenv(variable, expected)  # so that it is put back as it was
    assert found == {expected}
