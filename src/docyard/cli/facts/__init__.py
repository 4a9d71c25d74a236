"""Commands that show what documents say."""
