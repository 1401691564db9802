"""Production rules → structural node, for all notations of the BNF family."""
