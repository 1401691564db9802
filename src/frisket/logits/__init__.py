"""Logits × bitmask → logits with −∞ where the bit is 0; one module per array library, each imported when used."""
