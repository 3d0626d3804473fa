"""``python -m aptone``, for where the command is not on the path."""

from aptone.cli.main import main

if __name__ == "__main__":
    main()
