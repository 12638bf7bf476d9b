"""Files with times: films, sounds, observations."""
