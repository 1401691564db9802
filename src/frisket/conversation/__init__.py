"""Messages of a chat × tools × model → the prompt that the model continues.

turn          a message as clients write it → Turn
conversation  turns, tools and a model → prompt, by the model's chat template or as plain lines
tool_text     descriptions of tools → the form that chat templates read, or a text for models without tools
"""

from frisket.conversation.conversation import Conversation, chat_template
from frisket.conversation.turn import ChatMessage, Turn, read_turns

__all__ = ["ChatMessage", "Conversation", "Turn", "chat_template", "read_turns"]
