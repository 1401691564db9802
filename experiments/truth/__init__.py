"""The same draws with and without a mask → what becomes of wrong values and of wrong forms."""
