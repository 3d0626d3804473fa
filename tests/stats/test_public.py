import subprocess
import sys

import aptone.stats


def test_the_public_names_are_sorted_and_there() -> None:
    assert aptone.stats.__all__ == sorted(aptone.stats.__all__)
    assert all(hasattr(aptone.stats, name) for name in aptone.stats.__all__)


def test_the_import_stays_clear_of_slow_libraries() -> None:
    script = (
        "import sys, aptone.stats; print([name for name in sys.modules if name.split('.')[0] in ('scipy', 'torch')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == "[]"
