"""Principals: who asks, with which rights over which namespaces."""
