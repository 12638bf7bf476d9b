"""Recognise what a table of ratings is: profile, hypotheses, evidence, decision or refusal."""
