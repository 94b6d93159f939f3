use super::service::{CAT, Service};
use axum::body::Body;
use axum::http::{Method, Request, header};
use bytes::Bytes;
use serde_json::json;

const SEEN: &str = "/v1/collections/seen";

/// Every address that takes a body.
fn bodies() -> Vec<(Method, String)> {
    let post = ["query", "check", "compare", "remove", "backup", "merge"];
    let mut all: Vec<_> = post.map(|end| (Method::POST, format!("{SEEN}/{end}"))).into();
    all.push((Method::PUT, format!("{SEEN}/documents/a")));
    all.push((Method::PUT, "/v1/collections/other".into()));
    all
}

#[tokio::test]
async fn bodies_that_cannot_be_read_are_refused_everywhere() {
    let service = Service::with_limits(|limits| limits.body = 10_000);
    service.put(SEEN, json!({})).await.ok();
    let deep = "[".repeat(9_000);
    let deep_object = "{\"text\":".repeat(1_000);
    for (method, uri) in bodies() {
        for broken in [
            b"{".to_vec(),
            b"{\"text\": \"a".to_vec(),
            b"\xff\xfe\x00".to_vec(),
            b"{\"text\": \"\xff\"}".to_vec(),
            b"{\"text\": \"a\", \"text\": \"b\"}".to_vec(),
            b"{\"metadata\": {\"a\": {\"b\": 1, \"b\": 1}}}".to_vec(),
        ] {
            service.ask(method.clone(), &uri, broken).await.problem(400);
        }
        service.ask(method.clone(), &uri, deep.clone()).await.problem(400);
        service.ask(method.clone(), &uri, deep_object.clone()).await.problem(400);
        service.ask(method.clone(), &uri, "x".repeat(10_001)).await.problem(413);
        for wrong in ["5", "null", "[]", "\"text\""] {
            service.ask(method.clone(), &uri, wrong).await.problem(422);
        }
        service.ask(method.clone(), &uri, "{\"a\u{0}\\u0000\": 1}").await.problem(400);
        service.ask(method.clone(), &uri, json!({"x".repeat(5_000): 1}).to_string()).await.problem(422);
        // The connection breaks in the middle.
        let pieces = [Ok(Bytes::from_static(b"{\"text\"")), Err(std::io::Error::other("gone"))];
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let request = Request::builder().method(method.clone()).uri(&uri);
        service.send(request.body(body).unwrap()).await.problem(400);
    }
    assert_eq!(service.get(SEEN).await.ok()["documents"], 0);
}

#[tokio::test]
async fn other_types_and_compressed_bodies_are_refused() {
    let service = Service::with_seen().await;
    let mut all = bodies();
    all.push((Method::POST, format!("{SEEN}/bulk")));
    for (method, uri) in all {
        let send = async |name: header::HeaderName, value: &'static str| {
            let request = Request::builder().method(method.clone()).uri(&uri).header(name, value);
            service.send(request.body(Body::from("{}")).unwrap()).await
        };
        for kind in ["text/plain", "text/html", "multipart/form-data; boundary=x", "application/xml", ""] {
            send(header::CONTENT_TYPE, kind).await.problem(415);
        }
        send(header::CONTENT_ENCODING, "gzip").await.problem(415);
        for kind in
            ["application/json", "Application/JSON; charset=utf-8", "application/x-www-form-urlencoded"]
        {
            assert_ne!(send(header::CONTENT_TYPE, kind).await.status, 415, "{kind}");
        }
    }
}

#[tokio::test]
async fn a_slow_body_is_not_waited_for() {
    let service = Service::with_limits(|limits| limits.time = std::time::Duration::from_millis(200));
    // The disk may be slow too.
    while service.put(SEEN, json!({})).await.status != 200 {}
    let body = || Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
    let request = Request::post(format!("{SEEN}/query")).body(body()).unwrap();
    service.send(request).await.problem(503);
    let request = Request::post(format!("{SEEN}/bulk")).body(body()).unwrap();
    let answers = service.send(request).await.lines();
    assert_eq!(answers[0]["error"]["status"], 503);
}

#[tokio::test]
async fn texts_can_be_anything() {
    let service = Service::with_seen().await;
    let texts = [
        "",
        " ",
        "\0",
        "a\0b",
        "<script>alert(1)</script>",
        "\u{202e}backwards",
        "😀",
        &"word ".repeat(20_000),
    ];
    for (at, text) in texts.into_iter().enumerate() {
        let uri = format!("{SEEN}/documents/t{at}");
        service.put(&uri, json!({"text": text})).await.ok();
        assert_eq!(service.get(&uri).await.ok()["text"], text);
        service.post(&format!("{SEEN}/query"), json!({"text": text})).await.ok();
        service
            .post(&format!("{SEEN}/compare"), json!({"id": format!("t{at}"), "other_text": CAT}))
            .await
            .ok();
    }
}

#[tokio::test]
async fn a_text_beyond_the_limit_is_refused() {
    let service = Service::with_limits(|limits| limits.text = 100);
    service.put(SEEN, json!({})).await.ok();
    let long = "x".repeat(101);
    service.put(&format!("{SEEN}/documents/a"), json!({"text": long})).await.problem(413);
    service.post(&format!("{SEEN}/query"), json!({"text": long})).await.problem(413);
    service.post(&format!("{SEEN}/check"), json!({"text": long})).await.problem(413);
    service.post(&format!("{SEEN}/compare"), json!({"text": "a", "other_text": long})).await.problem(413);
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_problems() {
    let service = Service::with_seen().await;
    for uri in [
        "/nothing",
        "/v1",
        "/v1/",
        "/v2/collections",
        "/v1/collections/seen/nothing",
        "//",
        "/docs/../../etc",
    ] {
        service.get(uri).await.problem(404);
    }
    for (method, uri) in [
        (Method::POST, "/v1/health"),
        (Method::DELETE, "/v1/collections"),
        (Method::GET, "/v1/collections/seen/query"),
        (Method::PATCH, "/v1/collections/seen"),
        (Method::TRACE, "/"),
    ] {
        let answer = service.ask(method.clone(), uri, "").await;
        answer.problem(405);
        assert!(answer.headers.contains_key(header::ALLOW), "{method} {uri}");
    }
}

#[tokio::test]
async fn every_route_is_in_the_openapi_document() {
    let service = Service::with_seen().await;
    let document = service.get("/openapi.json").await.ok();
    let paths = document["paths"].as_object().unwrap();
    let expected = [
        ("/metrics", "get"),
        ("/v1/health", "get"),
        ("/v1/ready", "get"),
        ("/v1/collections", "get"),
        ("/v1/collections/{name}", "get put delete"),
        ("/v1/collections/{name}/stats", "get"),
        ("/v1/collections/{name}/documents", "get"),
        ("/v1/collections/{name}/documents/{id}", "get put delete"),
        ("/v1/collections/{name}/query", "post"),
        ("/v1/collections/{name}/check", "post"),
        ("/v1/collections/{name}/compare", "post"),
        ("/v1/collections/{name}/bulk", "post"),
        ("/v1/collections/{name}/remove", "post"),
        ("/v1/collections/{name}/backup", "post"),
        ("/v1/collections/{name}/compact", "post"),
        ("/v1/collections/{name}/verify", "post"),
        ("/v1/collections/{name}/expire", "post"),
        ("/v1/collections/{name}/merge", "post"),
        ("/v1/collections/{name}/export", "get"),
    ];
    assert_eq!(paths.len(), expected.len(), "{:?}", paths.keys());
    let operations = paths.values().flat_map(|path| path.as_object().unwrap().values());
    let ids: Vec<&str> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let different: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len(), "{ids:?}");
    for (path, methods) in expected {
        for method in methods.split(' ') {
            let described = &paths[path][method];
            assert!(
                described["responses"].as_object().unwrap().contains_key("200") || path.ends_with("backup"),
                "{path}"
            );
            assert!(!described["summary"].as_str().unwrap_or_default().is_empty(), "{method} {path}");
        }
    }
    assert!(document["components"]["securitySchemes"]["token"].is_object());
    let page = service.get("/docs/").await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("swagger"), "{}", page.text());
    assert!(!page.text().contains("http://") && !page.text().contains("https://"));
}

#[tokio::test]
async fn answers_say_how_a_browser_must_treat_them() {
    let service = Service::with_seen().await;
    for uri in ["/", "/page.js", "/docs/", "/v1/collections", "/nothing", "/v1/health"] {
        let answer = service.get(uri).await;
        let policy = answer.headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("default-src 'none'"), "{uri}: {policy}");
        assert_eq!(answer.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(answer.headers.contains_key("x-request-id"));
    }
    let request = Request::get("/v1/health").header("x-request-id", "mine-1").body(Body::empty()).unwrap();
    assert_eq!(service.send(request).await.headers["x-request-id"], "mine-1");
}
