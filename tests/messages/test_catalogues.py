"""Catalogues are complete, compiled, and in step with what the source asks for."""

import ast
import re
import string
from functools import cache
from pathlib import Path

import aptone
from aptone.messages import LANGUAGES, Language
from aptone.messages.catalogue import LOCALE
from recipes.messages import (
    as_text,
    brought_in_step,
    catalogue_path,
    compiled,
    domains,
    entries,
    forms,
    read_catalogue,
)

PACKAGE = Path(aptone.__file__).parent
OF_RECORDS = ("names.", "style.counted.", "answer.build.", "types.kind.", "models.asked-for.")
"""Scopes whose keys come from records, so that the source does not hold them."""


@cache
def texts(language: Language) -> dict[str, tuple[str, ...]]:
    """Every id with its text, or its plural forms."""
    return {
        name: forms(entry) for domain in domains() for name, entry in entries(read_catalogue(domain, language)).items()
    }


def braces(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_catalogue_is_in_step_and_compiled() -> None:
    assert len(domains()) >= 10
    for language in LANGUAGES:
        assert {path.stem for path in (LOCALE / language / "LC_MESSAGES").iterdir()} == set(domains())
    stale = [
        f"{domain} {language}"
        for domain in domains()
        for language in LANGUAGES
        if (path := catalogue_path(domain, language)).read_text(encoding="utf-8")
        != as_text(catalogue := brought_in_step(domain, language))
        or path.with_suffix(".mo").read_bytes() != compiled(catalogue)
    ]
    assert stale == [], "run: make messages"


def test_every_language_says_everything() -> None:
    assert len(texts("en")) > 500
    for language in LANGUAGES:
        assert set(texts(language)) == set(texts("en"))
        assert [name for name, said in texts(language).items() if not all(said)] == []


def test_every_id_begins_with_its_part() -> None:
    wrong = [
        name
        for domain in domains()
        for name in entries(read_catalogue(domain, "en"))
        if not name.startswith(f"{domain}.")
    ]
    assert wrong == []


def test_every_language_fills_in_the_same_values_by_name() -> None:
    wrong = []
    for name, english in texts("en").items():
        filled = braces(english[-1])
        single = [form for language in LANGUAGES for form in texts(language)[name][:-1]]  # "the line before"
        if not all(braces(form) <= filled for form in single) or any(
            braces(texts(language)[name][-1]) != filled for language in LANGUAGES
        ):
            wrong.append(name)
        if any(not blank.isidentifier() for blank in filled):
            wrong.append(f"{name}: blanks have names")
    assert wrong == []


def test_plural_forms_are_chosen_by_a_value_called_count() -> None:
    assert [name for name, said in texts("en").items() if len(said) > 1 and "count" not in braces(said[-1])] == []


@cache
def source_files() -> list[tuple[str, ast.Module]]:
    return [
        (path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


def chosen(node: ast.expr) -> list[str] | None:
    """The texts that an expression may be; ``None`` where it is made elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        one, other = chosen(node.body), chosen(node.orelse)
        return None if one is None or other is None else one + other
    return None


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def values_of(node: ast.Call) -> set[str] | None:
    return None if any(one.arg is None for one in node.keywords) else {str(one.arg) for one in node.keywords}


def scopes_of(tree: ast.Module) -> set[str]:
    """Scopes whose words a file asks for."""
    return {
        scope
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) in ("words", "phrases_of") and len(node.args) == 2
        for scope in chosen(node.args[1]) or []
    }


def test_every_message_exists_and_gets_the_values_that_it_has_braces_for() -> None:
    found = 0
    wrong = []
    for place, tree in source_files():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) == "message" and node.args:
                for name in chosen(node.args[0]) or []:
                    found += 1
                    given = values_of(node)
                    if name not in texts("en"):
                        wrong.append(f"{place}: no message {name}")
                    elif given is not None and given != braces(texts("en")[name][-1]):
                        wrong.append(f"{place}: values of {name}: {sorted(given)}")
    assert wrong == []
    assert found > 0


def test_every_word_exists_and_gets_its_values() -> None:
    found = 0
    wrong = []
    every = {name.partition(".")[0] for name in texts("en")} | {name.rpartition(".")[0] for name in texts("en")}
    for place, tree in source_files():
        scopes = scopes_of(tree) or every
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            direct = isinstance(node.func, ast.Call) and called(node.func) in ("words", "phrases_of")
            if not direct and called(node) not in ("word", "said_word"):
                continue
            inner = node.func if isinstance(node.func, ast.Call) and direct else None
            within = set(chosen(inner.args[1]) or []) if inner is not None else scopes
            for key in chosen(node.args[0]) or []:
                found += 1
                ids = [f"{scope}.{key}" for scope in within if f"{scope}.{key}" in texts("en")]
                given = values_of(node)
                if not ids:
                    wrong.append(f"{place}: no word {key} in {sorted(within)[:3]}")
                elif given is not None and not any(braces(texts("en")[one][-1]) <= given for one in ids):
                    wrong.append(f"{place}: values of {key}: {sorted(given)}")
    assert wrong == []
    assert found > 400


def test_every_word_of_a_template_exists() -> None:
    asked = {
        f"{'view' if PACKAGE / 'view' in path.parents else 'report'}.{key}"
        for path in sorted(PACKAGE.rglob("*.j2"))
        for key in re.findall(r"""\bword\(\s*["']([\w-]+)["']\s*[,)]""", path.read_text(encoding="utf-8"))
    }
    assert len(asked) > 30
    assert sorted(asked - set(texts("en"))) == []


def written() -> tuple[set[str], list[re.Pattern[str]]]:
    """Every text of the source, and patterns of those that are put together."""
    whole: set[str] = set()
    made: list[re.Pattern[str]] = []
    for _, tree in source_files():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                parts = [re.escape(str(one.value)) if isinstance(one, ast.Constant) else ".*" for one in node.values]
                if re.fullmatch(r"[a-z.]+[_.-]", str(node.values[0].value)):
                    made.append(re.compile("".join(parts)))
    for path in sorted(PACKAGE.rglob("*.j2")):
        text = path.read_text(encoding="utf-8")
        whole |= set(re.findall(r"""["']([\w-]+)["']""", text))
        starts = re.findall(r"""word\(\s*["']([a-z_]+_)["'] ~""", text)
        made += [re.compile(f"{re.escape(start)}.*") for start in starts]
    return whole, made


def test_no_id_is_left_over() -> None:
    whole, made = written()

    def asked(name: str) -> bool:
        keys = [name, name.partition(".")[2], name.rpartition(".")[2]]
        return any(key in whole or any(pattern.fullmatch(key) for pattern in made) for key in keys)

    assert [name for name in texts("en") if not name.startswith(OF_RECORDS) and not asked(name)] == []
