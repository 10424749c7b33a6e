"""The gateway: a proxy in front of providers of models, which adds memory to requests and learns from answers."""
