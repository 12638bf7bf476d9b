"""Tables of ratings: formats, layouts, and ratings built from them."""
