"""What this package adds to Consilience, one file each."""
