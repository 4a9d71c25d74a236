"""Sentence embeddings, name tagger, language detection and LLM client."""
