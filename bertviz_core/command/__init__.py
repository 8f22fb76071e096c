"""The command `bertviz`: what it takes, and what it prints. One file a subcommand."""
