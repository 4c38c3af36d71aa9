"""The files for deployments do what they say."""
