"""One file per screen: what is asked for, what is shown."""
