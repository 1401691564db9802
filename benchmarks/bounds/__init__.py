"""frisket × inputs that are hard, hostile, many or large → every bound, what was measured, whether it holds."""
