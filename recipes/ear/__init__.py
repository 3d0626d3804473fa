"""Training, export and calibration of the ear's weights."""
