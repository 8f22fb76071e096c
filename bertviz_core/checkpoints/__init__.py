"""From a model's name to its files, its tables, its vocabulary and its parameters; downloads."""
