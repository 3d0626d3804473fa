"""Calibration of a judge's scores to a person's ratings."""
