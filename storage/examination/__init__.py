"""What is examined of a store in the same way on every engine."""
