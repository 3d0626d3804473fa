"""Figures of the service for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from aptone.view.service.admission import Admission
from aptone.view.workers import WorkerPool

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds of the histogram of times."""


class Metrics:
    """Counts of requests, and what the workers say about themselves when they are asked for."""

    def __init__(self, pool: WorkerPool, admission: Admission) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "aptone_requests", "Requests by operation and status.", ["operation", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "aptone_request_seconds",
            "Time from the head of a request to its reply.",
            ["operation"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._audio = Counter(
            "aptone_audio_seconds",
            "Duration of the recordings that were heard.",
            ["operation"],
            registry=self._registry,
        )
        self._registry.register(_Workers(pool, admission))
        ProcessCollector(registry=self._registry)

    def note(self, operation: str, *, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def note_audio(self, operation: str, seconds: float) -> None:
        """Count recordings that were heard."""
        self._audio.labels(operation).inc(seconds if seconds > 0 else 0.0)  # NaN, too

    def text(self) -> bytes:
        """All figures as Prometheus reads them."""
        return generate_latest(self._registry)


class _Workers(Collector):
    def __init__(self, pool: WorkerPool, admission: Admission) -> None:
        self._pool = pool
        self._admission = admission

    def collect(self) -> list[Metric]:
        """Return the figures of this moment."""
        pool, admission = self._pool, self._admission
        gauges = {
            "aptone_requests_held": ("Requests that are read, waiting or worked on.", admission.held),
            "aptone_requests_held_bytes": ("Bytes of their bodies.", admission.held_bytes),
            "aptone_requests_places": ("Requests that may be held; one more is refused.", admission.places),
            "aptone_queue_waiting": ("Requests that no worker has begun.", pool.waiting),
            "aptone_workers_busy": ("Workers with a request.", pool.under_way),
            "aptone_workers_ready": ("Workers with their models loaded.", pool.ready),
            "aptone_workers_wanted": ("Workers that there should be.", pool.size),
            "aptone_workers_resident_bytes": ("Memory of the workers behind their last requests.", pool.resident),
        }
        counters = {
            "aptone_worker_restarts": ("Workers that died or were too slow, and were replaced.", pool.restarts),
            "aptone_workers_recycled": ("Workers replaced after their time, or grown too large.", pool.recycled),
        }
        return [
            *(GaugeMetricFamily(name, text, value=value) for name, (text, value) in gauges.items()),
            *(CounterMetricFamily(name, text, value=value) for name, (text, value) in counters.items()),
        ]
