"""The gateway: a proxy in front of providers of models, and the daemon's side of it."""
