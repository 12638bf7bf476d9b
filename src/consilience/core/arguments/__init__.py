"""What public functions say about arguments that they do not take."""
