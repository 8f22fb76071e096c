"""Who may try a code: wrong ones make all further tries of their network wait, the longer the more.

Whoever scans the QR code brings a ticket, and a phone that is in is known: neither is asked here.
"""

import threading
import time
from ipaddress import IPv6Address, ip_address, ip_network

FREE = 20  # wrong codes of a network that cost nothing: slips of a hall that types
STEP, LONGEST = 0.15, 10.0  # seconds between two looks: more by STEP for each wrong code, at most
HALF = 600.0  # seconds after which a wrong code counts half
KEPT = 3600.0  # seconds for which a network is remembered, in memory alone
MOST_KNOWN = 10_000  # networks; the oldest is forgotten


def network(address: str) -> str:
    """What one guest has: an IPv4 address, or the 2**72 IPv6 addresses of a household."""
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or ip_network((found, 56), strict=False))
    return str(found)


class Door:
    """Lets codes be looked at one after the other, where many wrong ones came from."""

    def __init__(self) -> None:
        # Of each network, the last to try at the end: wrong codes, when, and when the next may be.
        self._tries: dict[str, tuple[float, float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, address: str) -> float:
        """Seconds until a code may be looked at; at 0 it counts as wrong, until it was right."""
        now, known = time.monotonic(), network(address)
        with self._lock:
            while self._tries and (
                len(self._tries) > MOST_KNOWN or now - next(iter(self._tries.values()))[1] > KEPT
            ):
                del self._tries[next(iter(self._tries))]
            wrong, since, turn = self._tries.pop(known, (0.0, now, now))
            wrong *= 0.5 ** ((now - since) / HALF)
            if not (left := max(0.0, turn - now)):
                wrong += 1
                turn = now + min(LONGEST, STEP * max(0.0, wrong - FREE))
            self._tries[known] = (wrong, now, turn)
        return left

    def right(self, address: str) -> None:
        """Take back what was counted: the next one waits for nothing."""
        with self._lock:
            if found := self._tries.get(network(address)):
                wrong, since, _ = found
                self._tries[network(address)] = (max(0.0, wrong - 1), since, since)
