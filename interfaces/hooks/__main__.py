"""`python -m agentos.interfaces.hooks EVENT`: the hook program without the command line's libraries."""

from .program import main

if __name__ == "__main__":
    main()
