"""The file of providers."""

from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.studio.sign_in.providers import Provider, read_providers

GOOD = """
[university]
name = "University"
issuer = "https://login.example.org"
client_id = "aptone"
client_secret_variable = "APTONE_TEST_SECRET"
"""


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APTONE_TEST_SECRET", "correct horse")


def written(folder: Path, text: str) -> Path:
    (folder / "providers.toml").write_text(text, encoding="utf-8")
    return folder / "providers.toml"


def test_a_provider_is_read_with_its_secret_from_the_environment(tmp_path: Path) -> None:
    (found,) = read_providers(written(tmp_path, GOOD))
    assert found == Provider("university", "University", "https://login.example.org", "aptone", "correct horse")
    assert "correct horse" not in repr(found)


WRONG = {
    "1 to 10 providers": "",
    "cannot be read": "[university",
    "short names": GOOD.replace("[university]", '["Uni versity"]'),
    "holds client_id, issuer, name": GOOD.replace('name = "University"\n', ""),
    "nothing else": GOOD + 'redirect = "https://evil.example"\n',
    "as texts": GOOD.replace('"aptone"', "7"),
    "https address": GOOD.replace("https://login", "http://login"),
    "without a query": GOOD.replace("example.org", "example.org?x=1"),
    "the same issuer": GOOD + GOOD.replace("[university]", "[other]"),
    "holds no client secret": GOOD.replace("TEST_SECRET", "OTHER_SECRET"),
}


@pytest.mark.parametrize("why", list(WRONG))
def test_what_is_no_file_of_providers_is_refused_with_the_reason(why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        read_providers(written(tmp_path, WRONG[why]))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"providers\.toml"):
        read_providers(tmp_path / "providers.toml")


def test_a_provider_on_this_machine_may_be_asked_without_encryption(tmp_path: Path) -> None:
    (found,) = read_providers(written(tmp_path, GOOD.replace("https://login.example.org", "http://127.0.0.1:9000")))
    assert found.issuer == "http://127.0.0.1:9000"
