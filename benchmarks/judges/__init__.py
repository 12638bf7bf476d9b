"""Do the numbers about judges keep their word? Coverage, size and false alarms by simulation."""
