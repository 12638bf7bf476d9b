"""What jobs do, in a process of their own: plain data in, plain data out."""
