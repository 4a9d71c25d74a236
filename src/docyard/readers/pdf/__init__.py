"""PDF files: text, layout, tables, forms, annotations and attachments."""
