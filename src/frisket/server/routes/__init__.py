"""Path → what answers it: one module a route."""
