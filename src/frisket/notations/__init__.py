"""What people write → Grammar: one module per notation."""
