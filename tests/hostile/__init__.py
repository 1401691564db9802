"""Every entrance of the library × hostile inputs → outcome, CPU time and peak memory of each, in a process of its own.

case       what one case is                     measure    a case → its outcome and what it took
child      a case by its name → a process       __main__   the cases → a table
constructors, matchers, explanations, schemas, parts, endpoints        the cases, by entrance
"""
