"""Views: the shape of results. Services return domain objects; views tell them to models, lean, or whole."""
