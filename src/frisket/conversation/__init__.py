"""Messages of a chat × tools × model → the prompt that the model completes.

turn          a message as clients write it → Turn
conversation  turns, tools and a model → prompt, by the model's chat template or as plain lines
tool_text     descriptions of tools → what chat templates read, or a text for models whose template reads none
"""

from frisket.conversation.conversation import Conversation, chat_template
from frisket.conversation.turn import ChatMessage, Turn, read_turns

__all__ = ["ChatMessage", "Conversation", "Turn", "chat_template", "read_turns"]
