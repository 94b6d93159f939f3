use super::service::{CAT, Service};
use axum::http::{Method, Request};
use serde_json::json;

const AT: &str = "/v1/collections/seen/documents";

#[tokio::test]
async fn a_document_is_put_got_replaced_and_deleted() {
    let service = Service::with_seen().await;
    let at = format!("{AT}/a");
    let added = service.put(&at, json!({"text": CAT, "metadata": {"source": "x"}, "ttl_seconds": 60})).await;
    assert_eq!((added.status.as_u16(), added.json()), (201, json!({"number": 1, "replaced": false})));
    let kept = service.get(&at).await.ok();
    assert_eq!(
        (&kept["id"], &kept["text"], &kept["metadata"]),
        (&json!("a"), &json!(CAT), &json!({"source": "x"}))
    );
    assert!(kept["expires"].as_str().unwrap() > kept["added"].as_str().unwrap());
    // An id that is there already.
    let problem = service.put(&at, json!({"text": "something else"})).await.problem(409);
    assert!(problem.contains("update"), "{problem}");
    let replaced =
        service.put(&at, json!({"text": "quite another text with a few words", "update": true})).await;
    assert_eq!((replaced.status.as_u16(), replaced.json()["replaced"].clone()), (200, json!(true)));
    assert_eq!(service.delete(&at).await.ok(), json!({"removed": 1}));
    service.delete(&at).await.problem(404);
    service.get(&at).await.problem(404);
}

#[tokio::test]
async fn odd_ids_are_ids() {
    let service = Service::with_seen().await;
    let longest = "x".repeat(1_024);
    let odd = [
        ("a%2Fb", "a/b"),
        ("%2e%2e", ".."),
        ("..%2F..%2Fetc", "../../etc"),
        ("%00", "\0"),
        ("%0A", "\n"),
        ("%3Cscript%3E", "<script>"),
        ("%F0%9F%98%80", "😀"),
        ("a%25b", "a%b"),
        (&longest, &longest),
    ];
    for (written, id) in odd {
        let at = format!("{AT}/{written}");
        assert_eq!(service.put(&at, json!({"text": CAT})).await.status, 201, "{written}");
        assert_eq!(service.get(&at).await.ok()["id"], id);
        service.delete(&at).await.ok();
    }
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let at = format!("{AT}/{}", "x".repeat(1_025));
        let problem = service.ask(method.clone(), &at, json!({"text": CAT}).to_string()).await.problem(422);
        assert!(problem.contains("1024"), "{problem}");
        let at = format!("{AT}/%FF%FE");
        service.ask(method, &at, json!({"text": CAT}).to_string()).await.problem(400);
    }
    service.get(&format!("{AT}/a/b")).await.problem(404);
    service.get(&format!("{AT}/")).await.problem(404);
}

#[tokio::test]
async fn wrong_documents_are_refused() {
    let service = Service::with_seen().await;
    for (document, word) in [
        (json!({}), "text"),
        (json!({"text": null}), "text"),
        (json!({"text": 5}), "text"),
        (json!({"text": ["a"]}), "text"),
        (json!({"txt": CAT}), "`text`"),
        (json!({"text": CAT, "metadata": 5}), "metadata"),
        (json!({"text": CAT, "metadata": [1]}), "metadata"),
        (json!({"text": CAT, "metadata": {"a": "x".repeat(65 << 10)}}), "metadata"),
        (json!({"text": CAT, "ttl_seconds": 0}), "ttl_seconds"),
        (json!({"text": CAT, "ttl_seconds": -1}), "ttl_seconds"),
        (json!({"text": CAT, "expires": "soon"}), "expires"),
        (json!({"text": CAT, "expires": "2001-01-01T00:00:00Z"}), "past"),
        (json!({"text": CAT, "expires": "never", "ttl_seconds": 1}), "ttl_seconds"),
        (json!({"text": CAT, "added": "yesterday"}), "added"),
        (json!([1]), "object"),
        (json!("text"), "object"),
    ] {
        let problem = service.put(&format!("{AT}/a"), document.clone()).await.problem(422);
        assert!(problem.contains(word), "{document}: {problem}");
    }
    // The largest number of seconds is a long time.
    service.put(&format!("{AT}/a"), json!({"text": CAT, "ttl_seconds": u64::MAX})).await.ok();
    let kept = service.get(&format!("{AT}/a")).await.ok();
    assert!(kept["expires"].as_str().unwrap().starts_with("9999-12-31"), "{kept}");
    let listed = service.get(AT).await.ok();
    assert_eq!(listed["documents"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_listing_goes_on_where_it_ended() {
    let service = Service::with_seen().await;
    for at in 0..25 {
        let even = at % 2 == 0;
        let document = json!({"text": format!("{CAT} {at}"), "metadata": {"even": even}});
        service.put(&format!("{AT}/d{at}"), document).await.ok();
    }
    let ids = |page: &serde_json::Value| -> Vec<String> {
        let documents = page["documents"].as_array().unwrap();
        documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
    };
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = service.get(&format!("{AT}?limit=10{after}")).await.ok();
        assert!(page["documents"][0].get("text").is_none());
        seen.extend(ids(&page));
        let Some(next) = page["next_number"].as_u64() else { break };
        after = format!("&after_number={next}");
    }
    assert_eq!(seen, (0..25).map(|at| format!("d{at}")).collect::<Vec<_>>());
    let page = service.get(&format!("{AT}?after=d9&limit=2")).await.ok();
    assert_eq!(ids(&page), ["d10", "d11"]);
    let even = "%7B%22even%22%3Atrue%7D";
    let page = service.get(&format!("{AT}?where={even}&limit=3&after=d4")).await.ok();
    assert_eq!(ids(&page), ["d6", "d8", "d10"]);
    let page = service.get(&format!("{AT}?where={even}&limit=100")).await.ok();
    assert_eq!((ids(&page).len(), page.get("next_number")), (13, None));
    service.get(&format!("{AT}?after=gone")).await.problem(404);
    for (wrong, status) in [
        ("limit=0", 422),
        ("limit=1001", 422),
        ("limit=x", 400),
        ("limit=-1", 400),
        ("where=x", 400),
        ("where=[]", 422),
        ("after=d1&after_number=1", 422),
    ] {
        service.get(&format!("{AT}?{wrong}")).await.problem(status);
    }
    let problem = service.get(&format!("{AT}?limt=5")).await.problem(422);
    assert!(problem.contains("`limit`"), "{problem}");
}

#[tokio::test]
async fn many_documents_are_removed_at_once() {
    let service = Service::with_seen().await;
    for at in 0..6 {
        let document = json!({"text": format!("{CAT} {at}"), "metadata": {"odd": at % 2 == 1}});
        service.put(&format!("{AT}/d{at}"), document).await.ok();
    }
    let at = "/v1/collections/seen/remove";
    assert_eq!(service.post(at, json!({"ids": ["d0", "d1", "no"]})).await.ok(), json!({"removed": 2}));
    assert_eq!(service.post(at, json!({"where": {"odd": true}})).await.ok(), json!({"removed": 2}));
    assert_eq!(service.post(at, json!({"ids": []})).await.ok(), json!({"removed": 0}));
    for wrong in [
        json!({}),
        json!({"where": {}}),
        json!({"ids": ["a"], "where": {"a": 1}}),
        json!({"ids": [""]}),
        json!({"ids": [1]}),
        json!({"ids": "a"}),
        json!({"ids": vec!["a"; 1_001]}),
    ] {
        service.post(at, wrong).await.problem(422);
    }
    assert_eq!(service.get("/v1/collections/seen").await.ok()["documents"], 2);
}

#[tokio::test]
async fn a_repeated_write_is_one_write() {
    let service = Service::with_seen().await;
    let send = async |key: &str, uri: &str, body: serde_json::Value| {
        let request = Request::put(uri).header("idempotency-key", key);
        service.send(request.body(body.to_string().into()).unwrap()).await
    };
    let at = format!("{AT}/a");
    let first = send("k1", &at, json!({"text": CAT})).await;
    let again = send("k1", &at, json!({"text": CAT})).await;
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(again.status, 201);
    // Without the key it is a conflict; with another body, another address or another key it is another write.
    service.put(&at, json!({"text": CAT})).await.problem(409);
    send("k1", &at, json!({"text": "other"})).await.problem(422);
    send("k2", &at, json!({"text": CAT})).await.problem(409);
    assert_eq!(send("k1", &format!("{AT}/b"), json!({"text": CAT})).await.status, 201);
    // What failed may be tried again.
    service.delete(&at).await.ok();
    assert_eq!(send("k2", &at, json!({"text": CAT})).await.status, 201);
    send(&"k".repeat(257), &at, json!({"text": CAT})).await.problem(400);
    let bulk = Request::post("/v1/collections/seen/bulk").header("idempotency-key", "k");
    service.send(bulk.body("".into()).unwrap()).await.problem(400);
}

/// The answer is stored with the write: another service on the same folder knows it.
#[tokio::test]
async fn a_repeated_write_is_one_write_after_a_restart_too() {
    let mut service = Service::with_seen().await;
    let writes = [
        ("PUT", format!("{AT}/a"), json!({"text": CAT}), 201),
        (
            "POST",
            "/v1/collections/seen/check".into(),
            json!({"id": "b", "text": "new words", "add": true}),
            200,
        ),
        ("POST", "/v1/collections/seen/remove".into(), json!({"ids": ["a", "nobody"]}), 200),
        ("DELETE", format!("{AT}/b"), json!({}), 200),
    ];
    let mut first = Vec::new();
    for is_again in [false, true] {
        for (number, (method, uri, body, status)) in writes.iter().enumerate() {
            let request = Request::builder().method(*method).uri(uri).header("idempotency-key", "k");
            let answer = service.send(request.body(body.to_string().into()).unwrap()).await;
            assert_eq!(answer.status, *status, "{method} {uri}: {}", answer.text());
            match is_again {
                true => assert_eq!(answer.body, first[number], "{method} {uri}"),
                false => first.push(answer.body),
            }
        }
        let stats = service.get("/v1/collections/seen/stats").await.ok();
        assert_eq!((&stats["documents"], &stats["batches"]), (&json!(0), &json!(4)));
        service = service.restarted();
    }
    let another = Request::put(format!("{AT}/a")).header("idempotency-key", "k");
    service.send(another.body(json!({"text": "other"}).to_string().into()).unwrap()).await.problem(422);
}
