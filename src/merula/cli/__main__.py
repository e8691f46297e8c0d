"""``python -m merula.cli``."""

from merula.cli import main

main()
