"""What writes files of this repository, or tries its image; each is a command of the Makefile."""
