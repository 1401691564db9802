"""Parts of parts → structural node."""
