//! Numbers about the service, as Prometheus reads them.

use axum::http::Method;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

/// The smallest bucket of times, in seconds, and how many there are. Each is twice the one before; the last is 26 s.
const BUCKETS: (f64, u16) = (0.0001, 19);

/// Numbers about the service.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    working: Gauge,
    lines: Family<LineLabels, Counter>,
    documents: Family<CollectionLabels, Gauge>,
    bytes: Family<CollectionLabels, Gauge>,
    read_only: Family<CollectionLabels, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LineLabels {
    op: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CollectionLabels {
    collection: String,
}

impl Default for Metrics {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(exponential_buckets(BUCKETS.0, 2.0, BUCKETS.1));
        let mut metrics = Self {
            registry: Registry::with_prefix("lookalike"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            working: Gauge::default(),
            lines: Family::default(),
            documents: Family::default(),
            bytes: Family::default(),
            read_only: Family::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("requests", "Requests that were answered", metrics.requests.clone());
        let help = "How long requests took until their answers began";
        registry.register_with_unit("request_duration", help, Unit::Seconds, metrics.seconds.clone());
        registry.register("requests_in_progress", "Requests that are worked on", metrics.working.clone());
        registry.register("bulk_lines", "Lines of bulk requests that were answered", metrics.lines.clone());
        let help = "Documents, with those that have expired but are not removed yet";
        registry.register("documents", help, metrics.documents.clone());
        registry.register_with_unit("disk", "The size of all files", Unit::Bytes, metrics.bytes.clone());
        let help = "1 if a collection is read only: it has lost writes, is damaged, a write failed, or its files are read only";
        registry.register("read_only", help, metrics.read_only.clone());
        metrics
    }
}

/// A request that is worked on.
pub(crate) struct Working(Gauge);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// A request begins.
    pub(crate) fn begin(&self) -> Working {
        self.working.inc();
        Working(self.working.clone())
    }

    /// A request is answered.
    pub(crate) fn end(&self, method: &Method, route: &str, status: u16, time: Duration) {
        // A client can make up methods; only known ones are counted apart.
        let method = match method.as_str() {
            "GET" => "GET",
            "HEAD" => "HEAD",
            "PUT" => "PUT",
            "POST" => "POST",
            "DELETE" => "DELETE",
            _ => "other",
        };
        self.requests.get_or_create(&RequestLabels { method, route: route.to_owned(), status }).inc();
        self.seconds.get_or_create(&RouteLabels { route: route.to_owned() }).observe(time.as_secs_f64());
    }

    /// A line of a bulk request is answered.
    pub(crate) fn line(&self, op: &'static str, is_ok: bool) {
        let result = if is_ok { "ok" } else { "error" };
        self.lines.get_or_create(&LineLabels { op, result }).inc();
    }

    /// All numbers as text. The collections are those that there are now.
    pub(crate) fn text(&self, collections: &[(String, index::Stats)]) -> String {
        self.documents.clear();
        self.bytes.clear();
        self.read_only.clear();
        for (name, stats) in collections {
            let labels = CollectionLabels { collection: name.clone() };
            let set = |family: &Family<CollectionLabels, Gauge>, value: u64| {
                family.get_or_create(&labels).set(i64::try_from(value).unwrap_or(i64::MAX));
            };
            set(&self.documents, stats.documents);
            set(&self.bytes, stats.disk_bytes);
            set(&self.read_only, u64::from(stats.read_only));
        }
        let mut written = String::new();
        // Writing to a string does not fail.
        let _ = text::encode(&mut written, &self.registry);
        written
    }
}
