"""HTTP path → the module that answers it, one for each route."""
