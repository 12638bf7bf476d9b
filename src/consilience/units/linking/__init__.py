"""Which units are the same event, and kappa of their labels: EasyDIAG, GSEQ, sequences."""
