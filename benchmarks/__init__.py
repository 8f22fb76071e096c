"""Speed and memory against targets, and against what users would pick instead; see README.md."""
