"""One format of tables a file; each becomes a relation in DuckDB."""
