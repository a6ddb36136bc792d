"""Reads `sendoffd list --json` or the sandbox's messages on stdin and prints them for people, one a line.

show.py deliveries: exit 0 all arrived, 1 not yet, 2 one ended without arriving. show.py messages: exit 0.
"""
import json
import sys

ARRIVED = {"accepted", "delivered"}
LOST = {"dead", "unknown", "bounced", "expired", "cancelled", "superseded", "discarded", "suppressed", "held"}


def documents(text):
    """One JSON document, or one a line."""
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def objects(value, key):
    """All objects that have the key, however deep."""
    if isinstance(value, dict):
        if key in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from objects(item, key)


def first(row, *names):
    return next((str(row[name]) for name in names if row.get(name) not in (None, "")), "")


def deliveries(text):
    rows = list(objects(documents(text), "state"))
    lines = [
        f"   {row.get('channel', ''):<6} {first(row, 'recipient', 'user', 'user_id'):<10} {row['state']:<10}"
        f" attempts {first(row, 'attempts') or 0}  {first(row, 'reason')}".rstrip()
        for row in rows
    ]
    print("\n".join(sorted(lines)))
    if any(row["state"] in LOST for row in rows):
        return 2
    return 0 if rows and all(row["state"] in ARRIVED for row in rows) else 1


def messages(text):
    for row in objects(documents(text), "to"):
        times = first(row, "receptions")
        again = f"  (received {times} times, taken once)" if times not in ("", "1") else ""
        print(f"   {first(row, 'provider'):<7} to {first(row, 'to')}: "
              f"{first(row, 'subject', 'title', 'text')}{again}")
    return 0


sys.exit({"deliveries": deliveries, "messages": messages}[sys.argv[1]](sys.stdin.read()))
