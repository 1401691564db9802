"""A café's orders as a shop takes them: text → cart → quote, by the first tier that can."""
