"""The command `bert-explorer`: what it takes, and what it prints. One file a subcommand."""
