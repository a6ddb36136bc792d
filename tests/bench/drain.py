#!/usr/bin/env python3
"""Measures the engine beside a local provider stand-in and prints one JSON document; README.md says what it means.

  drain   N waiting events, `sendoffd run --until-idle`: attempts a second, processor time, memory
  pickup  an idle engine, events at a steady rate: how long each waited for its first attempt
  fleet   only with --only fleet: four engines on one PostgreSQL, a limit of 500/s, more than that offered with a
          trickle of urgent events: arrivals in each second, urgent pickup, the backlog's age as `status` says it

Exits 1 where a message was lost, not accepted or sent twice, whatever the speed.
"""
import argparse
import json
import os
import platform
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

sys.dont_write_bytecode = True  # the source folder stays clean

from bench_processes import BenchError, Engine, Mock, thread_nanoseconds  # noqa: E402
from bench_stores import PostgresStore, SqliteStore  # noqa: E402

CATALOGUE = """[[event]]
type = "booking.confirmed"
category = "bookings"
lane = "normal"
expires = "24h"
notify = [ { role = "driver", user = "/user/id", email = "/user/email", channels = ["email"], template = "confirmed" } ]
"""
TEMPLATE = """---
subject: Booking {{booking}} is confirmed
---
Hello,

your booking {{booking}} is confirmed.
"""
CONFIGURATION = """[store]
url = "{store}"
address_key = {{ env = "SENDOFF_BENCH_KEY" }}
[engine]
name = "bench"
batch = {batch}
[catalogue]
path = "catalogue.toml"
templates = "templates"
[http_client]
{ca}
[providers.mock]
kind = "resend"
from = "Bench <no-reply@example.com>"
base_url = "{provider}"
api_key = {{ env = "SENDOFF_BENCH_KEY" }}
rate = "{rate}/s"
burst = {burst}
slots = {slots}
"""


def choose_slots(options, latency):
    return options.slots or (200 if latency > 0 else 60)


class Case:
    """One store, one stand-in, one engine; everything is gone at the end of the with."""

    def __init__(self, options, database, protocol, latency, limit=(100000, 100000)):
        self.limit = limit  # of the provider: rate, burst
        self.options, self.protocol, self.latency = options, protocol, latency
        self.slots = choose_slots(options, latency)
        self._undo = ExitStack()
        try:
            self.folder = Path(self._undo.enter_context(tempfile.TemporaryDirectory(prefix="sendoff-bench-")))
            self.mock = Mock(options.mock, self.folder, latency, protocol == "h2")
            self._undo.callback(self.mock.stop)
            self.store = SqliteStore(self.folder) if database == "sqlite" else PostgresStore(options.server)
            self._undo.callback(self.store.drop)
            self.engine = Engine(options.sendoffd, self.folder)
            self._undo.callback(self.engine.kill)
            self._write_files()
            self.engine.command("migrate")
            self.engine.command("publish")
        except BaseException:
            self._undo.close()
            raise

    def _write_files(self):
        templates = self.folder / "templates" / "confirmed"
        templates.mkdir(parents=True)
        (templates / "email.en.mustache").write_text(TEMPLATE)
        (self.folder / "catalogue.toml").write_text(CATALOGUE)
        ca = f'ca_file = "{self.mock.certificate}"' if self.protocol == "h2" else ""
        (self.folder / "sendoff.toml").write_text(CONFIGURATION.format(
            store=self.store.url, ca=ca, provider=self.mock.url, slots=self.slots, batch=self.options.batch,
            rate=self.limit[0], burst=self.limit[1]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._undo.close()

    def head(self):
        return {"database": self.store.name, "protocol": self.protocol, "latency_ms": self.latency, "slots": self.slots}

    def tail(self, count, cpu, cost, stats):
        """What each kind of run reports, and whether every message went out once and was accepted."""
        states = {state: int(number) for state, number in
                  self.store.rows("SELECT state, count(*) FROM sendoff_delivery GROUP BY state")}
        attempts, ids = (int(self.store.rows(query)[0][0]) for query in (
            "SELECT count(*) FROM sendoff_attempt",
            "SELECT count(DISTINCT provider_message_id) FROM sendoff_delivery"))
        is_right = (states == {"accepted": count} and attempts == ids == count and stats["requests"] == count
                    and stats["distinct_keys"] == count and stats["repeated_keys"] == 0
                    and (stats["http2_requests"] > 0) == (self.protocol == "h2"))
        return {
            "engine_cpu_us_per_attempt": round(cpu / count * 1e6, 1),
            "database_cpu_us_per_attempt": round(cost.seconds() / count * 1e6, 1) if cost else None,
            "peak_memory_mb": round(self.engine.peak_mb, 1),
            "max_in_flight": stats["max_in_flight"],
            "connections": stats["connections"],
            "requests": stats["requests"],
            "attempts": attempts,
            "repeated_keys": stats["repeated_keys"],
            "states": states,
            "ok": is_right,
        }


def first_half_share(store, count):
    rows = store.rows(
        "SELECT d.tenant, count(*) FROM (SELECT delivery_id FROM sendoff_attempt ORDER BY started_at, delivery_id "
        f"LIMIT {count // 2}) a JOIN sendoff_delivery d ON d.id = a.delivery_id GROUP BY d.tenant ORDER BY d.tenant")
    return {tenant: round(int(number) / (count // 2), 3) for tenant, number in rows}


def drain(options, database, protocol, latency):
    count = options.n
    with Case(options, database, protocol, latency) as case:
        case.store.fill(count)
        cost = case.store.cost()
        case.engine.start("run", "--until-idle", cost=cost)
        cpu = case.engine.wait(options.limit)
        stats = case.mock.stats()
        span = max(stats["last_ns"] - stats["first_ns"], 1) / 1e9
        whole = stats["last_ns"] / 1e9 - case.engine.started
        return {**case.head(), "n": count,
                "attempts_per_second": round(stats["requests"] / span, 1),
                "attempts_per_second_from_start": round(stats["requests"] / max(whole, 1e-9), 1),
                "seconds": round(case.engine.ended - case.engine.started, 2),
                "bound_per_second": round(case.slots / latency * 1000) if latency else None,
                **case.tail(count, cpu, cost, stats),
                "first_half_share": first_half_share(case.store, count)}


def percentile(values, share):
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else None


def spread(values):
    return {"p50": percentile(values, 0.5), "p99": percentile(values, 0.99), "max": percentile(values, 1.0)}


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def insert_steadily(store, rate, seconds):
    """About a hundred transactions a second; a slow one is made up for by the next, as waiting users would do."""
    start, done = time.monotonic(), 0
    while (passed := time.monotonic() - start) < seconds:
        wanted = int(rate * passed)
        if wanted > done:
            store.insert(done, wanted)
            done = wanted
        time.sleep(0.01)
    return done


def pickup(options, database, protocol, latency):
    with Case(options, database, protocol, latency) as case:
        cost = case.store.cost()
        case.engine.start("run", cost=cost)
        asleep = "SELECT count(*) FROM sendoff_engine WHERE asleep = 1"
        is_asleep = wait_until(lambda: int(case.store.rows(asleep)[0][0]) == 1, 10)
        before = thread_nanoseconds(case.engine.process.pid)
        time.sleep(3)
        idle = (thread_nanoseconds(case.engine.process.pid) - before) / 3e9
        case.store.open_writer()
        count = insert_steadily(case.store, options.rate, options.seconds)
        case.store.close_writer()
        wait_until(lambda: case.mock.stats()["answered"] >= count, 60)
        case.engine.terminate()
        cpu = case.engine.wait(60)
        stats = case.mock.stats()
        started, created, recorded = (case.store.milliseconds(column) for column in
                                      ("a.started_at", "d.created_at", "e.recorded_at"))
        rows = [(float(first), float(second)) for first, second in case.store.rows(
            f"SELECT {started} - {recorded}, {started} - {created} FROM sendoff_attempt a "
            "JOIN sendoff_delivery d ON d.id = a.delivery_id JOIN sendoff_event e ON e.id = d.event_id "
            "WHERE a.number = 1")]
        return {**case.head(), "n": count,
                "offered_per_second": round(count / options.seconds, 1),
                "attempted_per_second": round(count / (max(stats["last_ns"] - stats["first_ns"], 1) / 1e9), 1),
                "was_asleep": is_asleep,
                "idle_engine_cpu_percent": round(idle * 100, 2),
                "pickup_from_event_ms": spread([first for first, _ in rows]),
                "pickup_from_delivery_ms": spread([second for _, second in rows]),
                **case.tail(count, cpu, cost, stats)}


FLEET_LIMIT = (450, 50)  # rate and burst: at most 500 in any second
FLEET_URGENT = 10        # a second


def offer_to_fleet(case, rate, seconds):
    """Normal events with a trickle of urgent ones; the requests that had arrived at the end of each second."""
    start, normal, urgent, arrived = time.monotonic(), 0, 0, [case.mock.stats()["requests"]]
    while (passed := time.monotonic() - start) < seconds:
        wanted = int((rate - FLEET_URGENT) * passed)
        if wanted > normal:
            case.store.insert(normal, wanted)
            normal = wanted
        if (wanted := int(FLEET_URGENT * passed)) > urgent:
            case.store.insert(10_000_000 + urgent, 10_000_000 + wanted, "urgent")
            urgent = wanted
        if passed >= len(arrived):
            arrived.append(case.mock.stats()["requests"])
        time.sleep(0.01)
    return normal, urgent, [after - before for before, after in zip(arrived, arrived[1:])]


def fleet(options, database, protocol, latency):
    with Case(options, database, protocol, latency, FLEET_LIMIT) as case, ExitStack() as undo:
        engines = [case.engine] + [Engine(options.sendoffd, case.folder) for _ in range(3)]
        for number, engine in enumerate(engines):
            engine.log = case.folder / f"engine{number}.log"
            undo.callback(engine.kill)
            engine.start("run")
        if not wait_until(lambda: int(case.store.rows("SELECT count(*) FROM sendoff_engine")[0][0]) == 4, 20):
            raise BenchError("the four engines did not register; see their logs")
        case.store.open_writer()
        normal, urgent, arrivals = offer_to_fleet(case, options.rate, options.seconds)
        case.store.close_writer()
        tried = "SELECT count(*) FROM sendoff_delivery WHERE lane = 'urgent' AND attempts > 0"
        wait_until(lambda: int(case.store.rows(tried)[0][0]) >= urgent, 15)
        status = json.loads(engines[0].command("status", "--json"))
        waited = (f"{case.store.milliseconds('a.started_at')} - {case.store.milliseconds('e.recorded_at')}")
        picked = [float(row[0]) for row in case.store.rows(
            f"SELECT {waited} FROM sendoff_attempt a JOIN sendoff_delivery d ON d.id = a.delivery_id "
            "JOIN sendoff_event e ON e.id = d.event_id WHERE a.number = 1 AND d.lane = 'urgent'")]
        ordered = sorted(arrivals[2:])
        stats = case.mock.stats()
        return {**case.head(), "engines": len(engines), "limit_per_second": sum(FLEET_LIMIT),
                "offered_per_second": round((normal + urgent) / options.seconds, 1),
                "arrivals_per_second": {"min": ordered[0], "median": ordered[len(ordered) // 2], "max": ordered[-1]},
                "urgent_picked_up": f"{len(picked)} of {urgent}", "urgent_pickup_ms": spread(picked),
                "backlog": status.get("backlog"), "repeated_keys": stats["repeated_keys"],
                "ok": stats["repeated_keys"] == 0 and len(picked) == urgent}


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sendoffd", type=Path, required=True, help="the program under test, a release build")
    parser.add_argument("--mock", type=Path, help="bench_provider_mock; default: the one of the same build")
    parser.add_argument("--only", choices=["drain", "pickup", "fleet"], help="one kind of run")
    parser.add_argument("--database", action="append", choices=["sqlite", "postgresql"], help="default: both")
    parser.add_argument("--protocol", action="append", choices=["http1", "h2"], help="default: both")
    parser.add_argument("--latency", action="append", type=int, help="of the provider in ms; default: 0, 20 and 50")
    parser.add_argument("--n", type=int, default=5000, help="events of a drain")
    parser.add_argument("--seconds", type=float, default=10, help="of a pickup run")
    parser.add_argument("--rate", type=float, default=1160, help="events a second of a pickup run")
    parser.add_argument("--slots", type=int, default=0, help="in flight; default: 60 at 0 ms, else 200")
    parser.add_argument("--batch", type=int, default=200, help="[engine] batch")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a drain is given up")
    options = parser.parse_args()
    options.sendoffd = options.sendoffd.resolve()
    options.mock = (options.mock or options.sendoffd.parent.parent / "tests" / "bench_provider_mock").resolve()
    for program in (options.sendoffd, options.mock):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is no program; build it, or name another")
    options.server = os.environ.get("SENDOFF_TEST_PG", "")
    if not options.server and "postgresql" in (options.database or []):
        parser.error("postgresql needs the address of a server in SENDOFF_TEST_PG")
    options.database = options.database or (["sqlite", "postgresql"] if options.server else ["sqlite"])
    options.protocol = options.protocol or ["http1", "h2"]
    options.latency = options.latency or [0, 20, 50]
    return options


def main():
    options = read_options()
    document = {"host": {"cpus": os.cpu_count(), "kernel": platform.release(), "load_before": os.getloadavg()[0]},
                "settings": {"batch": options.batch, "n": options.n, "rate": options.rate}}
    is_right = True
    for kind, measure in (("drain", drain), ("pickup", pickup), ("fleet", fleet)):
        if options.only != kind and (options.only or kind == "fleet"):
            continue
        document[kind] = []
        for database in options.database:
            for protocol in options.protocol:
                for latency in options.latency:
                    place = {"database": database, "protocol": protocol, "latency_ms": latency}
                    try:
                        result = measure(options, database, protocol, latency)
                    except BenchError as problem:
                        result = {**place, "problem": str(problem), "ok": False}
                    document[kind].append(result)
                    is_right = is_right and result["ok"]
                    print(f"{kind} {json.dumps(result)}", file=sys.stderr, flush=True)
    document["host"]["load_after"] = os.getloadavg()[0]
    document["ok"] = is_right
    json.dump(document, sys.stdout, indent=1)
    print()
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
