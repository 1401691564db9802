"""Production rules → structural node: what the notations of the BNF family share."""
