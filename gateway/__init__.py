"""An AG-UI event gateway: hosts agents, and stands in front of agents hosted elsewhere."""

__version__ = "0.1.0"
