import pytest

import aptone.cli.main
from aptone.__main__ import main


def test_ctrl_c_before_the_command_line_has_begun_is_met_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(aptone.cli.main, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
