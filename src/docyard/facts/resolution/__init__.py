"""Entity resolution: keys shared by all spellings of a name, blocks of candidates, and similarity."""
