"""Claims about masks → measurements: one folder, one command, one page of results each."""

import os

# Read when numpy and torch are loaded. Threads that wait count as processor time, and these matrices are too small to
# share.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
