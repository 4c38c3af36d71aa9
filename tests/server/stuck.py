"""A target whose import says that it has begun and then never ends."""

import threading

print("importing", flush=True)
threading.Event().wait()
