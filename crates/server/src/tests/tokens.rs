use super::service::{CAT, Service};
use axum::body::Body;
use axum::http::{Method, Request, header};
use serde_json::{Value, json};

#[tokio::test]
async fn readers_read_and_writers_write() {
    let service = Service::with_tokens();
    let seen = "/v1/collections/seen";
    let document = json!({"text": CAT});
    service.as_user("writer", Method::PUT, seen, json!({"store": "text"})).await.ok();
    service.as_user("writer", Method::PUT, &format!("{seen}/documents/a"), document.clone()).await.ok();
    let check = json!({"id": "b", "text": CAT, "add": true});
    let writes = [
        (Method::PUT, seen.to_owned(), json!({})),
        (Method::DELETE, seen.to_owned(), json!({})),
        (Method::PUT, format!("{seen}/documents/b"), document.clone()),
        (Method::DELETE, format!("{seen}/documents/a"), json!({})),
        (Method::POST, format!("{seen}/check"), check),
        (Method::POST, format!("{seen}/remove"), json!({"ids": ["a"]})),
        (Method::POST, format!("{seen}/backup"), json!({})),
        (Method::POST, format!("{seen}/compact"), json!({})),
        (Method::POST, format!("{seen}/expire"), json!({})),
        (Method::POST, format!("{seen}/merge"), json!({"from": "seen", "skip_present": true})),
    ];
    let reads = [
        (Method::GET, "/v1/collections".to_owned(), json!({})),
        (Method::GET, seen.to_owned(), json!({})),
        (Method::GET, format!("{seen}/stats"), json!({})),
        (Method::GET, format!("{seen}/documents"), json!({})),
        (Method::GET, format!("{seen}/documents/a"), json!({})),
        (Method::POST, format!("{seen}/query"), document.clone()),
        (Method::POST, format!("{seen}/check"), document.clone()),
        (Method::POST, format!("{seen}/compare"), json!({"id": "a", "other_text": CAT})),
        (Method::POST, format!("{seen}/verify"), json!({})),
        (Method::GET, format!("{seen}/export"), json!({})),
        (Method::GET, "/metrics".to_owned(), json!({})),
    ];
    for (method, uri, body) in reads.iter().chain(&writes) {
        let without = service.ask(method.clone(), uri, body.to_string()).await;
        without.problem(401);
        assert!(without.headers.contains_key(header::WWW_AUTHENTICATE));
        for wrong in ["wrong", "writer2", "write", "Writer", "reader writer"] {
            service.as_user(wrong, method.clone(), uri, body.clone()).await.problem(401);
        }
    }
    for (method, uri, body) in writes {
        service.as_user("reader", method, &uri, body).await.problem(403);
    }
    for (method, uri, body) in reads {
        let answer = service.as_user("reader", method.clone(), &uri, body.clone()).await;
        assert_eq!(answer.status, 200, "{method} {uri}");
        assert_eq!(service.as_user("writer", method, &uri, body).await.status, 200);
    }
    // Lines of a stream are looked at one by one.
    let lines = format!(
        "{}\n{}\n{}\n",
        json!({"op": "add", "id": "b", "text": CAT}),
        json!({"op": "query", "text": CAT}),
        json!({"op": "remove", "id": "a"})
    );
    let request = Request::post(format!("{seen}/bulk")).header(header::AUTHORIZATION, "Bearer reader");
    let answers = service.send(request.body(Body::from(lines)).unwrap()).await.lines();
    let statuses: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["status"]).collect();
    assert_eq!(statuses, [&json!(403), &Value::Null, &json!(403)]);
    assert_eq!(answers[1]["matches"][0]["id"], "a");
}

#[tokio::test]
async fn what_needs_no_token_needs_none() {
    let service = Service::with_tokens();
    for uri in ["/", "/page.css", "/page.js", "/v1/health", "/v1/ready", "/openapi.json"] {
        assert_eq!(service.get(uri).await.status, 200, "{uri}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let service = Service::with_seen().await;
    let send = async |host: &str, origin: Option<&str>| {
        let mut request = Request::get("/v1/collections").header(header::HOST, host);
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        service.send(request.body(Body::empty()).unwrap()).await
    };
    send("localhost:7171", None).await.ok();
    send("127.0.0.1:7171", Some("http://127.0.0.1:7171")).await.ok();
    send("127.0.0.1:7171", Some("http://evil.example")).await.problem(403);
    send("127.0.0.1:7171", Some("null")).await.problem(403);
    send("127.0.0.1:7171", Some("http://127.0.0.1:8000")).await.problem(403);
    send("evil.example", Some("http://evil.example")).await.problem(403);
    send("evil.example:7171", None).await.problem(403);
}
