"""Tree of parts → structural node."""
