"""Models: sentence embedding, name tagger, language detection, and the LLM client."""
