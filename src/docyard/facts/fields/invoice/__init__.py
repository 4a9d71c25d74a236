"""Fields of invoices, receipts and purchase orders."""
