"""Citations, statutes, courts and case numbers."""
