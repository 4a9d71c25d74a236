"""How the values of stages are saved and loaded."""
