"""Electronic invoices (EN 16931): reading, checking and locating their values."""
