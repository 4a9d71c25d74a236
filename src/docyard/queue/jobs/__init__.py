"""Jobs from the moment they are enqueued to their end."""
