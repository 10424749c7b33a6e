"""The loop proof: whether what is learnt in one task is there in the next, in another home, and what that costs."""
