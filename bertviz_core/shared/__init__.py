"""What all viewers of a process share: open models, each result once, a queue."""
