"""The SQL interface: views, triggers and functions for operators and outside programs."""
