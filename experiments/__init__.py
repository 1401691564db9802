"""Claims about masks → measurements: one folder, one command, one page of results each."""

import os

# Read when numpy is loaded. Waiting threads count as processor time, and these matrices are too small to share.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
