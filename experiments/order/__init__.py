"""Does it matter whether the reason or the answer is written first?"""
