"""From a model's name to its files, tables, vocabulary and list of parameters; the download."""
