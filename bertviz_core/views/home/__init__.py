"""The views of Home: one word in two sentences, from the typed text to where its paths part."""
