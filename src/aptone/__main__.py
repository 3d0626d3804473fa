"""The command ``aptone``, also as ``python -m aptone``."""

import os
import sys

ALGEBRA_THREADS = ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Threads of numpy's libraries; read when numpy is loaded."""


def main() -> None:
    """Run the command line. Ctrl-C is met quietly even while the libraries are still being loaded.

    Our matrices are small and items are what runs side by side, so more threads for a product of matrices only burn
    CPU time while they wait for one another. Who sets the variables is obeyed.
    """
    for variable in ALGEBRA_THREADS:
        os.environ.setdefault(variable, "1")
    try:
        from aptone.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
