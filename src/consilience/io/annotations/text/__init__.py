"""Files about texts: standoff, columns, UIMA."""
