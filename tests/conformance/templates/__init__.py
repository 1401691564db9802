"""Chat templates as the specification of tool formats: what they render passes the masks and parses back.

case        the table of cases       rendering   template × case → the assistant's turn
judge       template × family → differences      known   the differences that have a reason
"""

from .judge import Difference, Verdict, judge

__all__ = ["Difference", "Verdict", "judge"]
