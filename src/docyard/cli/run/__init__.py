"""Commands that keep running: up, serve and worker."""
