"""Agents that think: providers of large language models, tools and the loop over both."""
