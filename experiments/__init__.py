"""Claims about masks → measurements: one folder, one command, one page of results each."""
