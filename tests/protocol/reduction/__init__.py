"""Tests of `gateway.protocol.reduction`."""
