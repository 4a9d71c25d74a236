"""Raster images."""
