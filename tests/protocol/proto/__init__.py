"""Tests of the protobuf binding."""
