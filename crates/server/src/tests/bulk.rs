use super::service::{CAT, Service};
use axum::body::Body;
use axum::http::{Method, Request, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

const AT: &str = "/v1/collections/seen/bulk";

fn stream(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[tokio::test]
async fn every_line_has_its_answer_in_order() {
    let service = Service::with_seen().await;
    let mut lines = stream(&[
        json!({"op": "add", "id": "a", "text": CAT}),
        json!({"op": "add", "id": "a", "text": CAT}),
        json!({"op": "query", "text": CAT}),
        json!({"op": "check", "id": "b", "text": CAT, "add": true}),
        json!({"op": "check", "id": "c", "text": "nobody has ever said these words in this order", "add": true}),
        json!({"op": "remove", "id": "a"}),
        json!({"op": "remove", "id": "a"}),
        json!({"op": "query", "text": CAT}),
        json!({"op": "ad", "id": "x", "text": "x"}),
        json!({"id": "x"}),
        json!([1, 2]),
        json!({"op": "add", "id": "x"}),
        json!({"op": "add", "id": "x", "text": "x", "metadat": {}}),
    ]);
    lines.push_str("{\"op\": \"add\"\n\n\u{0}\nnot json\n");
    lines.push_str(&stream(&[json!({"op": "add", "id": "a", "text": CAT, "update": true})]));
    let answer = service.ask(Method::POST, AT, lines.trim_end().to_owned()).await;
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/x-ndjson");
    let answers = answer.lines();
    assert_eq!(answers.len(), 17, "{answers:?}");
    assert_eq!(answers[0], json!({"number": 1, "replaced": false}));
    assert_eq!(answers[1]["error"]["status"], 409);
    assert_eq!(answers[2]["matches"][0]["id"], "a");
    assert_eq!(answers[3]["match"]["id"], "a");
    assert_eq!((&answers[4]["new"], &answers[4]["number"]), (&json!(true), &json!(2)));
    assert_eq!((&answers[5], &answers[6]), (&json!({"removed": 1}), &json!({"removed": 0})));
    assert_eq!(answers[7]["matches"], json!([]));
    assert_eq!(answers[8]["error"]["next"], "use `add`");
    for wrong in &answers[9..13] {
        assert_eq!(wrong["error"]["status"], 422, "{wrong}");
    }
    for wrong in &answers[13..16] {
        assert_eq!(wrong["error"]["status"], 400, "{wrong}");
    }
    assert_eq!(answers[16], json!({"number": 3, "replaced": false}));
}

#[tokio::test]
async fn many_lines_share_few_commits() {
    let service = Service::with_seen().await;
    let lines: Vec<Value> = (0..1_000)
        .map(|at| json!({"op": "check", "id": format!("d{at}"), "text": format!("{at} words of text {}", at % 500), "add": true}))
        .collect();
    let before = service.get("/v1/collections/seen/stats").await.ok()["batches"].as_u64().unwrap();
    let answers = service.ask(Method::POST, AT, stream(&lines)).await.lines();
    assert_eq!(answers.len(), 1_000);
    assert!(answers.iter().all(|answer| answer.get("error").is_none()));
    let after = service.get("/v1/collections/seen/stats").await.ok()["batches"].as_u64().unwrap();
    assert!(after - before <= 4, "{} commits", after - before);
}

#[tokio::test]
async fn answers_come_before_the_stream_ends() {
    let service = Service::with_seen().await;
    let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    let body = Body::from_stream(futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((Ok::<_, std::io::Error>(piece), receiver))
    }));
    let request = Request::post(AT).body(body).unwrap();
    let response = crate::app(service.state.clone()).oneshot(request).await.unwrap();
    let mut answers = response.into_body();
    for at in 0..20 {
        let line = stream(&[json!({"op": "add", "id": format!("d{at}"), "text": CAT})]);
        let (start, rest) = line.split_at(line.len() / 2);
        sender.send(Bytes::copy_from_slice(start.as_bytes())).await.unwrap();
        sender.send(Bytes::copy_from_slice(rest.as_bytes())).await.unwrap();
        let frame = answers.frame().await.unwrap().unwrap();
        let answer: Value = serde_json::from_slice(frame.data_ref().unwrap()).unwrap();
        assert_eq!(answer["number"], at + 1);
    }
    drop(sender);
    assert!(answers.frame().await.is_none());
}

#[tokio::test]
async fn a_stream_that_is_cut_short_says_so_and_keeps_what_it_answered() {
    let service = Service::with_seen().await;
    let pieces = [
        Ok(Bytes::from(stream(&[json!({"op": "add", "id": "a", "text": CAT})]))),
        Ok(Bytes::from_static(b"{\"op\": \"add\", \"id\"")),
        Err(std::io::Error::other("gone")),
    ];
    let body = Body::from_stream(futures_util::stream::iter(pieces));
    let answers = service.send(Request::post(AT).body(body).unwrap()).await.lines();
    assert_eq!(answers[0]["number"], 1);
    assert!(answers[1]["error"]["detail"].as_str().unwrap().contains("cut short"), "{answers:?}");
    assert_eq!(service.get("/v1/collections/seen").await.ok()["documents"], 1);
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_an_answer() {
    let service = Service::with_limits(|limits| {
        limits.line = 1_000;
        limits.text = 500;
        limits.batch = 2;
    });
    service.put("/v1/collections/seen", json!({})).await.ok();
    let lines = stream(&[
        json!({"op": "add", "id": "a", "text": "x".repeat(2_000)}),
        json!({"op": "add", "id": "b", "text": "x".repeat(600)}),
        json!({"op": "add", "id": "c", "text": "x".repeat(400)}),
    ]);
    let answers = service.ask(Method::POST, AT, lines).await.lines();
    assert_eq!(answers[0]["error"]["status"], 413);
    assert_eq!(answers[1]["error"]["status"], 413);
    assert_eq!(answers[2]["number"], 1);
}

#[tokio::test]
async fn a_stream_ends_when_the_service_is_stopped() {
    let service = Service::with_seen().await;
    let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    let body = Body::from_stream(futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((Ok::<_, std::io::Error>(piece), receiver))
    }));
    let response =
        crate::app(service.state.clone()).oneshot(Request::post(AT).body(body).unwrap()).await.unwrap();
    sender.send(Bytes::from(stream(&[json!({"op": "add", "id": "a", "text": CAT})]))).await.unwrap();
    let mut answers = response.into_body();
    let first = answers.frame().await.unwrap().unwrap();
    assert!(first.data_ref().unwrap().starts_with(b"{\"number\":1"));
    service.state.stop();
    let rest = answers.collect().await.unwrap().to_bytes();
    let last: Value = serde_json::from_slice(&rest).unwrap();
    assert_eq!(last["error"]["status"], 503);
    service.state.close(std::time::Duration::from_secs(10)).unwrap();
}
