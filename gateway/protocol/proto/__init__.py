"""The protobuf binding (spec: `docs/spec/1.1/basic/transports/http-protobuf.mdx`).

A codec of our own that reads its messages from a table: as the binding needs neither code
generation nor a protobuf runtime, there is neither.
"""

from gateway.protocol.proto.decoder import decode_proto
from gateway.protocol.proto.encoder import encode_message, encode_proto
from gateway.protocol.proto.frames import ProtoReader

__all__ = ["MEDIA_TYPE", "ProtoReader", "decode_proto", "encode_message", "encode_proto"]

MEDIA_TYPE = "application/vnd.ag-ui.event+proto"
"""Content type of a response of frames: a length in 4 bytes, big-endian, and one `Event`."""
