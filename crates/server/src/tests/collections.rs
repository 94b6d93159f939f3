use super::service::{CAT, Service};
use crate::{Error, Options, State};
use serde_json::json;

#[tokio::test]
async fn collections_come_and_go() {
    let service = Service::new();
    assert_eq!(service.get("/v1/collections").await.ok(), json!({"collections": []}));
    let made = service.put("/v1/collections/seen", json!({"threshold": 0.7, "store": "shingles"})).await;
    assert_eq!(made.status, 201);
    let made = made.ok();
    assert_eq!((&made["name"], &made["documents"]), (&json!("seen"), &json!(0)));
    assert_eq!(made["config"]["threshold"], 0.7);
    assert_eq!(made["config"]["store"], "shingles");
    assert!(made["found_probability"].as_f64().unwrap() > 0.98);
    // Again: the same, or a contradiction with both values.
    assert_eq!(service.put("/v1/collections/seen", json!({"threshold": 0.7})).await.status, 200);
    let problem = service.put("/v1/collections/seen", json!({"threshold": 0.9})).await.problem(409);
    assert!(problem.contains("0.7") && problem.contains("0.9"), "{problem}");
    assert_eq!(service.get("/v1/collections/seen").await.ok(), made);
    let stats = service.get("/v1/collections/seen/stats").await.ok();
    assert_eq!((&stats["documents"], &stats["lost"]), (&json!(0), &json!(0)));
    assert!(stats["disk_bytes"].as_u64().unwrap() > 0);
    assert_eq!(stats["buckets"], json!({"looked_at": 0, "largest": 0, "cut": 0, "counts": []}));
    assert_eq!(service.delete("/v1/collections/seen").await.ok(), json!({"deleted": "seen"}));
    assert!(!service.folder.path().join("collections/seen").exists());
    service.get("/v1/collections/seen").await.problem(404);
    service.delete("/v1/collections/seen").await.problem(404);
    assert_eq!(service.put("/v1/collections/seen", json!({})).await.status, 201);
}

#[tokio::test]
async fn the_nearest_collection_is_named() {
    let service = Service::with_seen().await;
    let problem = service.get("/v1/collections/sene").await.problem(404);
    assert!(problem.contains("`seen`"), "{problem}");
}

#[tokio::test]
async fn wrong_settings_and_names_are_refused_and_nothing_is_written() {
    let service = Service::new();
    for (settings, word) in [
        (json!({"treshold": 0.5}), "`threshold`"),
        (json!({"threshold": 2}), "threshold"),
        (json!({"threshold": "high"}), "threshold"),
        (json!({"hashes": 0}), "hashes"),
        (json!({"hashes": -1}), "hashes"),
        (json!({"store": "everything"}), "store"),
        (json!({"shingles": "letters:5"}), "shingles"),
        (json!({"bands": "6"}), "bands"),
        (json!({"ttl_seconds": 0}), "ttl_seconds"),
        (json!({"candidates": 0}), "candidates"),
        (json!({"normalize": {"case": "shout"}}), "normalize"),
        (json!({"recall": 1.5}), "recall"),
    ] {
        let problem = service.put("/v1/collections/a", settings.clone()).await.problem(422);
        assert!(problem.contains(word), "{settings}: {problem}");
    }
    for name in ["a.b", "..", "%2e%2e", "a%2Fb", "a%5Cb", "%00", "a%20b", "%C3%A9", &"a".repeat(65)] {
        let answer = service.put(&format!("/v1/collections/{name}"), json!({})).await;
        answer.problem(422);
    }
    service.put("/v1/collections/%FF", json!({})).await.problem(400);
    service.put("/v1/collections/", json!({})).await.problem(404);
    assert_eq!(std::fs::read_dir(service.folder.path().join("collections")).unwrap().count(), 0);
}

#[tokio::test]
async fn collections_that_were_given_are_not_deleted_and_are_there_again() {
    let service = Service::with_seen().await;
    service.put("/v1/collections/seen/documents/a", json!({"text": CAT})).await.ok();
    service.state.close(std::time::Duration::from_secs(10)).unwrap();
    let given = service.folder.path().join("collections/seen");
    let other = Service::with(|options| options.with_collections(vec![given.clone()]));
    assert_eq!(other.get("/v1/collections/seen").await.ok()["documents"], 1);
    let problem = other.delete("/v1/collections/seen").await.problem(403);
    assert!(problem.contains("by its folder"), "{problem}");
    // A second process is refused, and so is a name that is there twice.
    let wrong = State::open(&Options::default().with_collections(vec![given])).unwrap_err();
    assert!(matches!(wrong, Error::Index { .. }), "{wrong}");
}

#[tokio::test]
async fn without_a_folder_nothing_is_created() {
    let service = Service::with(|options| options.with_folder(None).with_backups(None));
    service.put("/v1/collections/seen", json!({})).await.problem(403);
}

#[tokio::test]
async fn a_backup_is_a_collection() {
    let service = Service::with_seen().await;
    service.put("/v1/collections/seen/documents/a", json!({"text": CAT})).await.ok();
    let answer = service.post("/v1/collections/seen/backup", json!({"name": "copy"})).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (201, json!({"name": "copy"})));
    service.post("/v1/collections/seen/backup", json!({"name": "copy"})).await.problem(409);
    service.post("/v1/collections/seen/backup", json!({"name": "../copy"})).await.problem(422);
    let named = service.post("/v1/collections/seen/backup", json!({})).await.ok();
    assert!(named["name"].as_str().unwrap().starts_with("seen-2"), "{named}");
    let path = service.folder.path().join("backups/copy");
    let copy = Service::with(|options| options.with_collections(vec![path]));
    assert_eq!(copy.get("/v1/collections/copy/documents/a").await.ok()["text"], CAT);
}

#[tokio::test]
async fn a_collection_in_use_is_not_deleted() {
    let service = Service::new();
    service.put("/v1/collections/seen", json!({})).await.ok();
    let index = service.state.collections().get("seen").unwrap();
    let patience = std::time::Duration::from_millis(10);
    let wrong = service.state.collections().delete("seen", patience).unwrap_err();
    assert_eq!(wrong.status(), 409);
    assert_eq!(service.get("/v1/collections/seen").await.status, 200);
    drop(index);
    service.delete("/v1/collections/seen").await.ok();
}

#[test]
fn another_address_needs_a_token() {
    let listen = "0.0.0.0:7171".parse().unwrap();
    let options = Options::default().with_listen(listen);
    assert!(matches!(State::open(&options), Err(Error::Open { .. })));
    assert!(State::open(&options.clone().with_allow_anyone(true)).is_ok());
    let tokens = crate::Tokens { read: vec![], write: vec!["w".into()] };
    assert!(State::open(&options.with_tokens(tokens)).is_ok());
}
