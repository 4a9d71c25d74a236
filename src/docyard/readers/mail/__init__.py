"""Mail messages and mailboxes, signed content, calendars and contact cards."""
