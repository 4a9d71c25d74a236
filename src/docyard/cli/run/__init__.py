"""Long-running commands: up, serve and worker."""
