"""Tools × a model family's wire format → Grammar; the text that a model wrote → Message.

family     one format, as data; `formats` lists all      lookup  name of a model → family
template   how a format is written, in pieces         wire      pieces → node, and text → their end
tool       a description, function or model → Tool    tools     Tool × policy → what can be called, with a report
arguments  schema → node, text → values               program   tools × choice → the node of a message
python_call  values as Python's literals               parser    text → Message
custom     format of a custom tool → the node of its one text
compile    all of it → Grammar
"""

from frisket.tools.family import Family, families, family, family_of
from frisket.tools.message import Message, ToolCall
from frisket.tools.tool import Tool
from frisket.tools.tools import ToolReport, Tools

__all__ = ["Family", "Message", "Tool", "ToolCall", "ToolReport", "Tools", "families", "family", "family_of"]
