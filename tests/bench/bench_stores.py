"""The two kinds of store as a benchmark sees them: filled by plain SQL as an application does, read by plain SQL."""
import os
import sqlite3
import subprocess
import time
import urllib.parse
from pathlib import Path

from bench_processes import BenchError, PostgresCost

ROWS_A_TRANSACTION = 500
INSERT = "INSERT INTO sendoff_event (id, type, payload, tenant) VALUES "


def event(number):
    """Three of four events are the tenant north's, the fourth is south's."""
    tenant = "south" if number % 4 == 3 else "north"
    payload = f'{{"user":{{"id":"u{number}","email":"u{number}@example.com"}},"booking":{number}}}'
    return f"e{number}", "booking.confirmed", payload, tenant


class SqliteStore:
    name = "sqlite"

    def __init__(self, folder):
        self.path = folder / "store.db"
        self.url = f"sqlite:{self.path}"
        self._writer = None

    def _connect(self):
        return sqlite3.connect(self.path, timeout=30, isolation_level=None)

    def fill(self, count):
        self.open_writer()
        for start in range(0, count, ROWS_A_TRANSACTION):
            self.insert(start, min(start + ROWS_A_TRANSACTION, count))
        self.close_writer()

    def open_writer(self):
        self._writer = self._connect()

    def insert(self, start, end):
        self._writer.execute("BEGIN IMMEDIATE")
        self._writer.executemany(INSERT + "(?, ?, ?, ?)", [event(number) for number in range(start, end)])
        self._writer.execute("COMMIT")

    def close_writer(self):
        self._writer.close()

    def rows(self, query):
        connection = self._connect()
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def milliseconds(self, column):
        return f"(julianday({column}) - 2440587.5) * 86400000.0"

    def cost(self):
        return None  # it works inside the engine

    def drop(self):
        pass


class PostgresStore:
    name = "postgresql"

    def __init__(self, server):
        self.database = f"sendoff_bench_{os.getpid()}_{time.monotonic_ns() % 1_000_000}"
        self._server = server
        self._psql(server, f"CREATE DATABASE {self.database}")
        self.url = urllib.parse.urlsplit(server)._replace(path="/" + self.database).geturl()
        self._writer = None
        self._cost = None

    @staticmethod
    def _psql(url, query):
        done = subprocess.run(["psql", "-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", url], input=query + ";\n", text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise BenchError(f"psql: {done.stderr.strip()[-300:]}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def fill(self, count):
        self.open_writer()
        for start in range(0, count, ROWS_A_TRANSACTION):
            self.insert(start, min(start + ROWS_A_TRANSACTION, count))
        self.close_writer()

    def open_writer(self):
        self._writer = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", self.url], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self._writer.stdin.write("SELECT pg_backend_pid();\n")
        self._writer.stdin.flush()
        backend = self._writer.stdout.readline().strip()
        if self._cost:
            self._cost.ignored.add(backend)  # the application's own work

    def insert(self, start, end, lane=None):
        own = f",'{lane}')" if lane else ",NULL)"
        values = ",".join(("('%s','%s','%s','%s'" % event(number)) + own for number in range(start, end))
        self._writer.stdin.write(INSERT.replace("tenant)", "tenant, lane)") + values + ";\n")
        self._writer.stdin.flush()

    def close_writer(self):
        self._writer.stdin.close()
        self._writer.stdout.close()
        if self._writer.wait() != 0:
            raise BenchError("psql refused an insert; see above")

    def rows(self, query):
        return self._psql(self.url, query)

    def milliseconds(self, column):
        return f"extract(epoch FROM {column}) * 1000.0"

    def cost(self):
        """None where the server's processes can't be seen from here."""
        try:
            postmaster = int(self._psql(self.url, "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)")[0][0])
            if Path(f"/proc/{postmaster}/comm").read_text().strip() != "postgres":
                return None
        except (BenchError, OSError, ValueError, IndexError):
            return None
        self._cost = PostgresCost(postmaster, self.database)
        return self._cost

    def drop(self):
        self._psql(self._server, f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")
