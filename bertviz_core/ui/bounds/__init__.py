"""What a visitor may send: how large, and how much in all."""
