"""The data folder of the embedded server: its location, its owner and its creation."""
