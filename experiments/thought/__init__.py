"""What a mask leaves of a model's thought: answers at once, after reasons, after drafts."""
