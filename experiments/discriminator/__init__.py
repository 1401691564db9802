"""Does it matter whether a tagged union names its kind first or last?"""
