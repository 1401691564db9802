"""`python -m frisket` → the command `frisket`."""

from frisket.cli import main

main()
