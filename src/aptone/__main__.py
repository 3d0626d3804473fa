"""The command ``aptone``, also as ``python -m aptone``."""

import sys


def main() -> None:
    """Run the command line. Ctrl-C is met quietly even while the libraries are still being loaded."""
    try:
        from aptone.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
