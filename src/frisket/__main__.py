"""`python -m frisket` → the `frisket` command."""

from frisket.cli import main

main()
