//! What concerns a collection as a whole, and collections that cannot be written to any more.

use super::service::{CAT, Service};
use axum::http::{Method, StatusCode, header};
use index::ManualClock;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const SEEN: &str = "/v1/collections/seen";

/// A text that is like no other.
fn text(number: usize) -> String {
    (0..12).map(|word| format!("n{number}w{word}")).collect::<Vec<_>>().join(" ")
}

async fn add(service: &Service, collection: &str, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let at = format!("/v1/collections/{collection}/documents/d{number}");
        service.put(&at, json!({"text": text(number)})).await.ok();
    }
}

#[tokio::test]
async fn a_collection_is_compacted_and_verified() {
    let service = Service::with_seen().await;
    add(&service, "seen", 0..50).await;
    service.post(&format!("{SEEN}/remove"), json!({"ids": ["d3", "d4"]})).await.ok();
    let compacted = service.ask(Method::POST, &format!("{SEEN}/compact"), "").await.ok();
    assert!(compacted["disk_bytes"].as_u64().unwrap() > 0 && compacted["disk_bytes_before"].is_u64());
    let verified = service.ask(Method::POST, &format!("{SEEN}/verify"), "").await.ok();
    assert_eq!((&verified["clean"], &verified["documents"]), (&json!(true), &json!(48)));
    for end in ["compact", "verify", "expire"] {
        service.ask(Method::POST, &format!("/v1/collections/sene/{end}"), "").await.problem(404);
    }
}

#[tokio::test]
async fn what_has_expired_is_removed_when_it_is_asked_for() {
    let clock = Arc::new(ManualClock::at(1_000));
    let service = Service::with(|options| {
        let index = index::Options::default().with_clock(Arc::clone(&clock) as Arc<dyn index::Clock>);
        options.with_index(index)
    });
    service.put(SEEN, json!({"store": "text"})).await.ok();
    for (id, ttl) in [("a", Some(1)), ("b", None), ("c", Some(1))] {
        let document = json!({"text": CAT, "ttl_seconds": ttl});
        service.put(&format!("{SEEN}/documents/{id}"), document).await.ok();
    }
    let check = json!({"id": "d", "text": text(1), "add": true, "ttl_seconds": 60});
    assert_eq!(service.post(&format!("{SEEN}/check"), check).await.ok()["new"], true);
    let kept = service.get(&format!("{SEEN}/documents/d")).await.ok();
    assert_eq!(kept["expires"], "1970-01-01T00:01:01Z");
    // A check that touches lets the match live as long as the checked document would.
    let touch = json!({"id": "e", "text": text(1), "add": true, "on_match": "touch", "ttl_seconds": 600});
    assert_eq!(service.post(&format!("{SEEN}/check"), touch).await.ok()["match"]["id"], "d");
    let kept = service.get(&format!("{SEEN}/documents/d")).await.ok();
    assert_eq!(kept["expires"], "1970-01-01T00:10:01Z");
    service.get(&format!("{SEEN}/documents/e")).await.problem(404);
    let expire = async || service.ask(Method::POST, &format!("{SEEN}/expire"), "").await.ok();
    assert_eq!(expire().await, json!({"removed": 0}));
    clock.set(10_000);
    assert_eq!(service.get(SEEN).await.ok()["documents"], 4);
    assert_eq!(expire().await, json!({"removed": 2}));
    assert_eq!(service.get(SEEN).await.ok()["documents"], 2);
}

#[tokio::test]
async fn an_export_has_every_document_as_a_line() {
    let service = Service::with_seen().await;
    // More than one piece.
    let long = format!("{CAT} ").repeat(20);
    for number in 0..60 {
        let document = json!({"text": format!("{number} {long}"), "metadata": {"n": number}});
        service.put(&format!("{SEEN}/documents/d{number}"), document).await.ok();
    }
    let answer = service.get(&format!("{SEEN}/export")).await;
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/x-ndjson");
    let lines = answer.lines();
    assert_eq!(lines.len(), 60);
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["id"], format!("d{number}"));
        assert_eq!(
            (&line["text"], &line["metadata"]["n"]),
            (&json!(format!("{number} {long}")), &json!(number))
        );
        assert!(line.get("lanes").is_none());
    }
    let with_lanes = service.get(&format!("{SEEN}/export?lanes=true")).await.lines();
    assert_eq!(with_lanes[0]["lanes"].as_array().unwrap().len(), 128);
    service.put("/v1/collections/empty", json!({})).await.ok();
    assert_eq!(service.get("/v1/collections/empty/export").await.text(), "");
    service.get("/v1/collections/sene/export").await.problem(404);
    service.get(&format!("{SEEN}/export?lane=true")).await.problem(422);
    service.get(&format!("{SEEN}/export?lanes=perhaps")).await.problem(400);
    service.state.stop();
    service.get(&format!("{SEEN}/export")).await.problem(503);
}

#[tokio::test]
async fn a_collection_takes_the_documents_of_another() {
    let service = Service::with_seen().await;
    service.put("/v1/collections/other", json!({"threshold": 0.5, "store": "text"})).await.ok();
    add(&service, "seen", 0..3).await;
    add(&service, "other", 2..6).await;
    let merge = async |body: Value| service.post(&format!("{SEEN}/merge"), body).await;
    let problem = merge(json!({"from": "other"})).await.problem(409);
    assert!(problem.contains("d2"), "{problem}");
    assert_eq!(service.get(SEEN).await.ok()["documents"], 3);
    assert_eq!(merge(json!({"from": "other", "skip_present": true})).await.ok(), json!({"added": 3}));
    assert_eq!(service.get(&format!("{SEEN}/documents/d5")).await.ok()["text"], text(5));
    assert_eq!(service.get("/v1/collections/other").await.ok()["documents"], 4);
    merge(json!({"from": "nobody"})).await.problem(404);
    merge(json!({})).await.problem(422);
    service.put("/v1/collections/high", json!({"threshold": 0.9, "store": "text"})).await.ok();
    let problem = merge(json!({"from": "high"})).await.problem(409);
    assert!(problem.contains("0.5") && problem.contains("0.9"), "{problem}");
    // Two that store shingles have different keys.
    for name in ["one", "two"] {
        service.put(&format!("/v1/collections/{name}"), json!({"store": "shingles"})).await.ok();
    }
    let problem = service.post("/v1/collections/one/merge", json!({"from": "two"})).await.problem(409);
    assert!(problem.contains("key"), "{problem}");
}

/// A signature goes from one collection to another, and is asked for, without a text.
#[tokio::test]
async fn signatures_are_shown_added_and_asked_for() {
    let service = Service::with_seen().await;
    let bare = "/v1/collections/bare";
    service.put(bare, json!({"threshold": 0.5})).await.ok();
    service.put(&format!("{SEEN}/documents/a"), json!({"text": CAT})).await.ok();
    assert!(service.get(&format!("{SEEN}/documents/a")).await.ok().get("lanes").is_none());
    let lanes = service.get(&format!("{SEEN}/documents/a?lanes=true")).await.ok()["lanes"].clone();
    assert_eq!(lanes.as_array().unwrap().len(), 128);
    let added = service.put(&format!("{bare}/documents/a"), json!({"lanes": lanes})).await;
    assert_eq!(added.status, StatusCode::CREATED);
    for asked in [json!({"lanes": lanes}), json!({"text": CAT})] {
        let found = service.post(&format!("{bare}/query"), asked).await.ok();
        let found = &found["matches"][0];
        assert_eq!((&found["id"], &found["similarity"]), (&json!("a"), &json!(1.0)));
    }
    let found = service.post(&format!("{SEEN}/query"), json!({"lanes": lanes})).await.ok();
    assert_eq!((&found["matches"][0]["id"], &found["matches"][0]["exact"]), (&json!("a"), &json!(false)));
    let check = json!({"id": "b", "lanes": lanes, "add": true});
    assert_eq!(service.post(&format!("{bare}/check"), check).await.ok()["match"]["id"], "a");
    let check = json!({"id": "c", "lanes": lanes, "add": true, "within": "en"});
    assert_eq!(service.post(&format!("{bare}/check"), check.clone()).await.ok()["new"], true);
    let again = service.post(&format!("{bare}/check"), json!({"lanes": lanes, "within": "en"})).await.ok();
    assert_eq!(again["match"]["id"], "c");
    let line = json!({"op": "add", "id": "d", "lanes": lanes});
    let answers = service.ask(Method::POST, &format!("{bare}/bulk"), line.to_string()).await.lines();
    assert_eq!(answers[0]["replaced"], false);
    // Where texts are stored, a signature is not enough; and it is never both.
    for at in [format!("{SEEN}/documents/x"), format!("{bare}/documents/x")] {
        service.put(&at, json!({"lanes": lanes, "text": CAT})).await.problem(422);
    }
    let problem = service.put(&format!("{SEEN}/documents/x"), json!({"lanes": lanes})).await.problem(422);
    assert!(problem.contains("text"), "{problem}");
    let problem = service.put(&format!("{bare}/documents/x"), json!({"lanes": [1, 2]})).await.problem(422);
    assert!(problem.contains("128"), "{problem}");
    service.get(&format!("{SEEN}/documents/a?lanes=yes")).await.problem(400);
}

#[tokio::test]
async fn what_a_killed_backup_has_left_is_written_over() {
    let service = Service::with_seen().await;
    add(&service, "seen", 0..3).await;
    let folder = service.folder.path().join("backups/copy");
    std::fs::create_dir_all(folder.join("store")).unwrap();
    std::fs::write(folder.join("store/version"), "half").unwrap();
    std::fs::write(folder.join("lock"), "").unwrap();
    let backup = async || service.post(&format!("{SEEN}/backup"), json!({"name": "copy"})).await;
    assert_eq!(backup().await.status, StatusCode::CREATED);
    // A whole one stays, and so does anything else.
    backup().await.problem(409);
    let copy = index::Index::open(&folder, &index::Options::default()).unwrap();
    assert_eq!(copy.stats().unwrap().documents, 3);
    let other = service.folder.path().join("backups/mine");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("notes.txt"), "mine").unwrap();
    service.post(&format!("{SEEN}/backup"), json!({"name": "mine"})).await.problem(409);
    assert_eq!(std::fs::read_to_string(other.join("notes.txt")).unwrap(), "mine");
}

/// What `/v1/ready`, the metrics, the statistics and the collection say of being read only.
async fn said(service: &Service, name: &str) -> (Value, bool, Value, Value) {
    let ready = service.get("/v1/ready").await.ok()["read_only"].clone();
    let metrics = service.get("/metrics").await.text();
    let metric = metrics.contains(&format!("lookalike_read_only{{collection=\"{name}\"}} 1"));
    let stats = service.get(&format!("/v1/collections/{name}/stats")).await.ok()["read_only"].clone();
    (ready, metric, stats, service.get(&format!("/v1/collections/{name}")).await.ok()["read_only"].clone())
}

fn no_problem() -> (Value, bool, Value, Value) {
    (json!(0), false, json!(false), json!(false))
}

fn read_only() -> (Value, bool, Value, Value) {
    (json!(1), true, json!(true), json!(true))
}

/// Changes some bytes of the first block of every table of ids.
fn damage(folder: &Path) {
    for table in std::fs::read_dir(folder.join("store/keyspaces/4/tables")).unwrap() {
        let table = table.unwrap().path();
        let mut bytes = std::fs::read(&table).unwrap();
        bytes[64..72].fill(0xa5);
        std::fs::write(&table, bytes).unwrap();
    }
}

#[tokio::test]
async fn a_collection_that_is_damaged_says_that_it_is_read_only() {
    let service = Service::with_seen().await;
    service.put("/v1/collections/other", json!({})).await.ok();
    add(&service, "seen", 0..100).await;
    service.ask(Method::POST, &format!("{SEEN}/compact"), "").await.ok();
    assert_eq!(said(&service, "seen").await, no_problem());
    service.state.close(Duration::from_secs(60)).unwrap();
    damage(&service.folder.path().join("collections/seen"));
    let service = service.restarted();
    // Damage is noticed when it is read.
    assert_eq!(said(&service, "seen").await, no_problem());
    let mut broken = 0;
    for number in 0..100 {
        let answer = service.get(&format!("{SEEN}/documents/d{number}")).await;
        broken += u32::from(answer.status == StatusCode::SERVICE_UNAVAILABLE);
        if !answer.status.is_success() {
            let problem = answer.problem(503);
            assert!(problem.contains("damaged") && !problem.contains("keyspaces"), "{problem}");
        }
    }
    assert!(broken > 0, "nothing needed the damaged place");
    assert_eq!(said(&service, "seen").await, read_only());
    service.put(&format!("{SEEN}/documents/new"), json!({"text": text(7_000)})).await.problem(503);
    assert_eq!(said(&service, "seen").await, read_only());
    // Others go on.
    service.put("/v1/collections/other/documents/a", json!({"text": CAT})).await.ok();
}

#[tokio::test]
async fn a_collection_that_lost_writes_is_read_only_and_the_rest_goes_on() {
    let service = Service::with_seen().await;
    service.put("/v1/collections/other", json!({})).await.ok();
    add(&service, "seen", 0..2).await;
    add(&service, "other", 0..5).await;
    service.state.close(Duration::from_secs(60)).unwrap();
    // The file of another collection says that more was acknowledged than there is.
    let at = |name: &str| service.folder.path().join("collections").join(name).join("acknowledged");
    std::fs::copy(at("other"), at("seen")).unwrap();
    let service = service.restarted();
    assert_eq!(service.get(&format!("{SEEN}/stats")).await.ok()["lost"], 3);
    assert_eq!(said(&service, "seen").await, read_only());
    let found = service.post(&format!("{SEEN}/query"), json!({"text": text(1)})).await.ok();
    assert_eq!(found["matches"][0]["id"], "d1");
    for (method, end, body) in [
        (Method::PUT, "documents/new", json!({"text": CAT})),
        (Method::DELETE, "documents/d1", json!({})),
        (Method::POST, "check", json!({"id": "new", "text": CAT, "add": true})),
        (Method::POST, "compact", json!({})),
        (Method::POST, "backup", json!({})),
        (Method::POST, "remove", json!({"ids": ["d1"]})),
    ] {
        let problem = service.ask(method, &format!("{SEEN}/{end}"), body.to_string()).await.problem(503);
        assert!(problem.contains("lost"), "{end}: {problem}");
    }
    service.put("/v1/collections/other/documents/new", json!({"text": CAT})).await.ok();
}
