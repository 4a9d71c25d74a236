"""Word-processing and presentation files, in binary and XML formats."""
