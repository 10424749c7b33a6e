"""What is held to be true: rules that read what a text states, and judge it beside what was stated before."""
