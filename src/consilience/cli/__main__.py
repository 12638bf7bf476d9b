"""Run the command line with ``python -m consilience.cli``."""

from consilience.cli import main

if __name__ == "__main__":
    main()
