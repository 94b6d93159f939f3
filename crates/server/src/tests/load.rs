use super::service::{CAT, Service};
use axum::body::Body;
use axum::http::Request;
use bytes::Bytes;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_equal_texts_exactly_one_is_new() {
    let service = Arc::new(Service::with_seen().await);
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..64 {
        let service = Arc::clone(&service);
        clients.spawn(async move {
            let check = json!({"id": format!("c{client}"), "text": CAT, "add": true});
            service.post("/v1/collections/seen/check", check).await.ok()["new"] == true
        });
    }
    let new = clients.join_all().await.into_iter().filter(|new| *new).count();
    assert_eq!(new, 1);
    assert_eq!(service.get("/v1/collections/seen").await.ok()["documents"], 1);
}

#[tokio::test]
async fn more_load_than_the_limit_is_refused_and_then_all_is_normal_again() {
    let service = Service::with_limits(|limits| limits.requests = 2);
    service.put("/v1/collections/seen", json!({})).await.ok();
    let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    let body = Body::from_stream(futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((Ok::<_, std::io::Error>(piece), receiver))
    }));
    let open = || Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
    let app = crate::app(service.state.clone());
    let first = tokio::spawn(tower::ServiceExt::oneshot(
        app.clone(),
        Request::post("/v1/collections/seen/bulk").body(body).unwrap(),
    ));
    let second = tokio::spawn(tower::ServiceExt::oneshot(
        app,
        Request::post("/v1/collections/seen/query").body(open()).unwrap(),
    ));
    let first = first.await.unwrap().unwrap();
    while service.state.permit().is_ok() {
        tokio::task::yield_now().await;
    }
    let problem = service.get("/v1/collections").await.problem(429);
    assert!(problem.contains('2'), "{problem}");
    // Health is not a matter of load.
    service.get("/v1/health").await.ok();
    second.abort();
    drop((first, sender));
    for _ in 0..1_000 {
        if service.get("/v1/collections").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the service stays busy");
}

#[tokio::test]
async fn a_stopped_service_takes_no_requests() {
    let service = Service::with_seen().await;
    service.get("/v1/ready").await.ok();
    service.state.stop();
    service.get("/v1/ready").await.problem(503);
    service.post("/v1/collections/seen/query", json!({"text": CAT})).await.problem(503);
    service.get("/v1/health").await.ok();
}

#[tokio::test]
async fn metrics_count_requests_by_route() {
    let service = Service::with_seen().await;
    for id in ["secret-1", "secret-2"] {
        service.put(&format!("/v1/collections/seen/documents/{id}"), json!({"text": CAT})).await.ok();
    }
    service.get("/secret-address").await;
    let metrics = service.get("/metrics").await.text();
    let line = r#"lookalike_requests_total{method="PUT",route="/v1/collections/{name}/documents/{id}",status="201"} 2"#;
    assert!(metrics.contains(line), "{metrics}");
    assert!(metrics.contains(r#"lookalike_documents{collection="seen"} 2"#), "{metrics}");
    assert!(metrics.contains("lookalike_request_duration_seconds_bucket"));
    assert!(metrics.ends_with("# EOF\n"));
    assert!(!metrics.contains("secret"));
}
