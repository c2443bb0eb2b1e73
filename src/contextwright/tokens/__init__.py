"""What it costs: counters, calibration, images, overheads, models and their prices."""
