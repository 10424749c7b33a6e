"""The proxy that clients reach: it passes requests on to providers, and asks the daemon at each."""
