"""Six grammars whose texts can be listed → whether strategies draw from the model's own distribution."""
