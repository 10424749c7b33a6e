"""Views: what a result looks like. Services return domain objects; views tell them to models, lean, or whole."""
