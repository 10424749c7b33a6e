"""REST under /api/v1: a table of routes over the tools and the services; handlers, OpenAPI and tests are made of it."""
