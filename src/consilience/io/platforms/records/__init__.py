"""One parser for each platform: the records that ratings and units are made of."""
