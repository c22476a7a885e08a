"""Old tool results are replaced by a handle, in batches.

Invented code, written for the sample corpus of ibid.
"""

# Tool results that stay in full, counted from the newest.
KEEP = 5

# Results that are elided together. Each elision rewrites the cached prefix, so
# one at a time costs more than it saves.
BATCH = 10

# Longest tool result that enters the context, in characters.
MAX_RESULT = 8_000


def elide(messages: list[dict]) -> list[dict]:
    """Return the messages with a batch of old results replaced by one line each."""
    old = [i for i, m in enumerate(messages) if m["role"] == "tool" and not m.get("elided")]
    old = old[:-KEEP] if len(old) > KEEP else []
    if len(old) < BATCH:
        return messages  # wait: a batch is cheaper than its parts
    out = list(messages)
    for i in old[:BATCH]:
        m = messages[i]
        line = f"[elided: {m['name']}, {len(m['content'])} characters, handle {m['id']}]"
        out[i] = {**m, "content": line, "elided": True}
    return out
