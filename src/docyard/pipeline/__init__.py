"""Document processing: choosing the next stage, running it in a confined child, and saving its result."""
