import pytest

from aptone.errors import MissingExtraError
from aptone.models import Engine


def test_an_engine_whose_modules_are_there_can_run() -> None:
    engine = Engine("mine", "mine", "by-hand", "prosody", modules=("json",))
    engine.require()
    assert engine.missing == ()


def test_an_engine_that_lacks_a_module_names_it_and_the_pip_command() -> None:
    engine = Engine("mine", "mine", "by-hand", "prosody", modules=("json", "no_such_module"), extra="local")
    assert engine.missing == ("no_such_module",)
    with pytest.raises(MissingExtraError, match=r'lacks no_such_module.*pip install "aptone\[local\]"'):
        engine.require()
