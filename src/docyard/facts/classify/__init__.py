"""Document types, chosen by format, phrases and layout, and by semantic similarity in unclear cases."""
