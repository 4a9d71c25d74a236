"""The data folder of the embedded server: where it lies, who owns it, and how it is created."""
