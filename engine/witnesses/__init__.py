"""What can be replayed step by step to see why an answer is right or wrong."""
