"""From a recognised layout to `Ratings`."""
