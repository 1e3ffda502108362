"""Builders for the tests: documents with real keys, user-data as the provider composes it, machines on a container engine."""
