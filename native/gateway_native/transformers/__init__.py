"""The transformers that come with the gateway, a module each."""
