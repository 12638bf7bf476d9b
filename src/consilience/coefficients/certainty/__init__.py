"""How sure a coefficient is: draws of what could have been rated, limits and tests from them."""
