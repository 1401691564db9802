"""logits × bitmask → logits: −∞ where the bit is 0; one module per array library, none imported before it is used."""
