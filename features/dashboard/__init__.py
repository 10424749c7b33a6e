"""The dashboard: pages for people over the same tools and services as the API, in the same process and origin."""
