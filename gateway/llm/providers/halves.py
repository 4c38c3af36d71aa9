"""Half surrogate pairs: a character that a model server cut in two JSON strings."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Halves:
    """Joins halves that meet in consecutive pieces of a channel; a lone one becomes U+FFFD."""

    def __init__(self) -> None:
        self._held: dict[str, str] = {}

    def join(self, channel: str, text: str) -> str:
        """The piece with the half that waited for it, without the half that it ends with."""
        text = self._held.pop(channel, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held[channel] = text[-1]
            text = text[:-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def flush(self, channel: str) -> str:
        """What stands for a half whose other half never came."""
        return REPLACEMENT if self._held.pop(channel, "") else ""
