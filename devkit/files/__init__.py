"""Reads files that somebody else may have written, and writes those that are nobody else's business."""
