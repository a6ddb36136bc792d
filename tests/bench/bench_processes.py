"""The processes of a benchmark: the engine under test, the provider stand-in, and what they and PostgreSQL cost."""
import contextlib
import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """What keeps a run from being a measurement; one sentence for the person who started it."""


def cpu_seconds(pid):
    """Processor time of one process with all its threads; None once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS


def thread_nanoseconds(pid):
    """The same as the scheduler counts it, in nanoseconds: for spans too short for clock ticks."""
    total = 0
    for schedule in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            total += int(schedule.read_text().split()[0])
    return total


def peak_memory_mb(pid):
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


class PostgresCost:
    """Processor time of the server's processes that work for one database, and of the shared writers.

    A backend's time is gone with it, so each one's last value is kept; call look() often enough.
    """

    SHARED = ("walwriter", "checkpointer", "background writer")

    def __init__(self, postmaster, database):
        self.postmaster, self.database = postmaster, database
        self.ignored = set()
        self.first, self.last = {}, {}
        self.look()
        self.first = dict(self.last)

    def look(self):
        try:
            children = Path(f"/proc/{self.postmaster}/task/{self.postmaster}/children").read_text().split()
        except OSError:
            return
        for pid in children:
            if pid in self.ignored:
                continue
            with contextlib.suppress(OSError):
                title = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if self.database in title.split() or any(word in title for word in self.SHARED):
                    spent = cpu_seconds(pid)
                    if spent is not None:
                        self.last[pid] = spent

    def seconds(self):
        return sum(spent - self.first.get(pid, 0.0) for pid, spent in self.last.items())


class Mock:
    """The provider stand-in with one port for the engine and a plain one to ask it."""

    def __init__(self, program, folder, latency, is_tls):
        self.certificate = folder / "mock.crt"
        arguments = [str(program)]
        if is_tls:
            self._make_certificate(folder)
            arguments += ["--cert", str(self.certificate), "--key", str(folder / "mock.key")]
        arguments += [f"0:{latency}" + (":tls" if is_tls else ""), "0:0"]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        ports = []
        for line in (self.process.stdout.readline(), self.process.stdout.readline()):
            if not line:
                raise BenchError("the provider stand-in did not start; see above")
            ports.append(json.loads(line)["port"])
        self.url = f"{'https' if is_tls else 'http'}://127.0.0.1:{ports[0]}"
        self._control = f"http://127.0.0.1:{ports[1]}"

    def _make_certificate(self, folder):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
             "-keyout", str(folder / "mock.key"), "-out", str(self.certificate)],
            check=True, capture_output=True)

    def stats(self):
        with urllib.request.urlopen(self._control + "/stats", timeout=10) as answer:
            return json.load(answer)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Engine:
    """sendoffd in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = dict(os.environ, SENDOFF_BENCH_KEY="benchmark-key-of-no-value")
        self.environment.pop("SENDOFF_CONFIG", None)
        self.log = folder / "engine.log"
        self.process = None

    def command(self, *words):
        done = subprocess.run([str(self.program), *words], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise BenchError(f"sendoffd {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def start(self, *words, cost=None):
        self.peak_mb, self.cost = 0.0, cost
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([str(self.program), *words], cwd=self.folder, env=self.environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.started = time.monotonic()
        self._over = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()

    def _sample(self):
        while True:
            self.peak_mb = max(self.peak_mb, peak_memory_mb(self.process.pid))
            if self.cost:
                self.cost.look()
            if self._over.wait(0.05):
                return

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, limit):
        """Waits for the end; the processor seconds it took."""
        killer = threading.Timer(limit, self.process.kill)
        killer.start()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.ended = time.monotonic()
        killer.cancel()
        self._over.set()
        self._sampler.join()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            tail = self.log.read_text(errors="replace")[-800:]
            raise BenchError(f"sendoffd run ended with {self.process.returncode} (limit {limit} s): {tail}")
        return usage.ru_utime + usage.ru_stime

    def kill(self):
        if self.process and self.process.returncode is None:
            self.process.kill()
            with contextlib.suppress(ChildProcessError):
                self.process.wait()
            self._over.set()
