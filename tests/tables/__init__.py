"""Tables of ratings in many habits, each with its truth, and a judge of readers.

`habits.draw` makes a case, `judge.judge` has it read, and ``python -m tables`` counts.
"""
