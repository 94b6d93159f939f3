use super::service::{CAT, Service};
use serde_json::json;

#[tokio::test]
async fn a_check_finds_what_is_there_and_adds_what_is_new() {
    let service = Service::with_seen().await;
    let at = "/v1/collections/seen/check";
    let looked = service.post(at, json!({"text": CAT})).await.ok();
    assert_eq!(looked["new"], true);
    let added = service.post(at, json!({"id": "page-9", "text": CAT, "add": true})).await.ok();
    assert_eq!((&added["new"], &added["number"]), (&json!(true), &json!(1)));
    let again =
        service.post(at, json!({"id": "a", "text": CAT.replace("until night", ""), "add": true})).await.ok();
    assert_eq!((&again["new"], &again["match"]["id"]), (&json!(false), &json!("page-9")));
    assert_eq!(again["match"]["exact"], true);
    assert!(again["match"]["similarity"].as_f64().unwrap() > 0.8);
    assert!(again["match"]["added"].as_str().unwrap().ends_with('Z'));
    assert!(again["found_probability"].as_f64().unwrap() > 0.9);
    assert!(again.get("number").is_none());
    let kept = service.post(at, json!({"id": "b", "text": CAT, "add": true, "on_match": "add"})).await.ok();
    assert_eq!((&kept["new"], &kept["number"]), (&json!(false), &json!(2)));
    for wrong in [
        json!({}),
        json!({"id": "a"}),
        json!({"text": CAT, "add": true}),
        json!({"text": CAT, "id": ""}),
        json!({"text": CAT, "on_match": "replace"}),
        json!({"text": CAT, "id": "c", "add": true, "on_match": "explode"}),
        json!({"text": CAT, "add": "yes"}),
        json!({"text": CAT, "onmatch": "add"}),
    ] {
        service.post(at, wrong).await.problem(422);
    }
    service
        .post(at, json!({"id": "b", "text": "something quite new and with many other words", "add": true}))
        .await
        .problem(409);
}

#[tokio::test]
async fn a_query_answers_by_text_by_id_and_within() {
    let service = Service::with_seen().await;
    let documents = "/v1/collections/seen/documents";
    let at = "/v1/collections/seen/query";
    service.put(&format!("{documents}/a"), json!({"text": CAT, "metadata": {"n": 1}})).await.ok();
    service.put(&format!("{documents}/b"), json!({"text": CAT, "metadata": {"n": 2}})).await.ok();
    service.put(&format!("{documents}/c"), json!({"text": CAT, "within": "en"})).await.ok();
    let ids = |answer: serde_json::Value| -> Vec<String> {
        let matches = answer["matches"].as_array().unwrap();
        matches.iter().map(|found| found["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(service.post(at, json!({"text": CAT})).await.ok()), ["a", "b"]);
    assert_eq!(ids(service.post(at, json!({"text": CAT, "top": 1})).await.ok()), ["a"]);
    assert_eq!(ids(service.post(at, json!({"text": CAT, "where": {"n": 2}})).await.ok()), ["b"]);
    assert_eq!(ids(service.post(at, json!({"text": CAT, "within": "en"})).await.ok()), ["c"]);
    assert_eq!(ids(service.post(at, json!({"id": "a"})).await.ok()), ["b"]);
    let answer = service.post(at, json!({"text": CAT, "threshold": 0.9})).await.ok();
    assert!(answer["found_probability"].as_f64().unwrap() > 0.99);
    assert_eq!(answer["truncated"], false);
    service.post(at, json!({"id": "gone"})).await.problem(404);
    for (wrong, word) in [
        (json!({}), "exactly one"),
        (json!({"text": CAT, "id": "a"}), "exactly one"),
        (json!({"text": CAT, "threshold": 1.5}), "threshold"),
        (json!({"text": CAT, "threshold": -0.1}), "threshold"),
        (json!({"text": CAT, "top": 0}), "at least 1"),
        (json!({"text": CAT, "top": 1_001}), "top"),
        (json!({"id": "a", "within": "en"}), "within"),
        (json!({"lanes": [1, 2, 3]}), "lanes"),
        (json!({"lanes": [70_000]}), "lanes"),
        (json!({"text": CAT, "where": 5}), "where"),
        (json!({"text": CAT, "treshold": 0.5}), "`threshold`"),
    ] {
        let problem = service.post(at, wrong.clone()).await.problem(422);
        assert!(problem.contains(word), "{wrong}: {problem}");
    }
}

#[tokio::test]
async fn two_texts_are_compared_with_their_passages() {
    let service = Service::with_seen().await;
    let at = "/v1/collections/seen/compare";
    service.put("/v1/collections/seen/documents/a", json!({"text": CAT})).await.ok();
    let other = format!("😀 Once upon a time. {CAT}");
    let answer = service.post(at, json!({"id": "a", "other_text": other, "segments": true})).await.ok();
    assert_eq!(answer["containment"], 1.0);
    let passages = answer["passages"].as_array().unwrap();
    assert_eq!(passages.len(), 1);
    assert_eq!(passages[0]["place"], "in-order");
    let range: Vec<usize> = serde_json::from_value(passages[0]["other_range"].clone()).unwrap();
    // Positions count characters.
    let passage: String = other.chars().skip(range[0]).take(range[1] - range[0]).collect();
    assert!(passage.starts_with("A cat") && passage.ends_with("night"), "{passage}");
    let whole = |side: &str| -> String {
        answer[side].as_array().unwrap().iter().map(|piece| piece["text"].as_str().unwrap()).collect()
    };
    assert_eq!((whole("segments"), whole("other_segments")), (CAT.to_owned(), other));
    service.post(at, json!({"text": "a", "other_text": ""})).await.ok();
    service.post(at, json!({"id": "a", "other_id": "b"})).await.problem(404);
    for wrong in [json!({}), json!({"id": "a"}), json!({"id": "a", "text": "a", "other_text": "b"})] {
        service.post(at, wrong).await.problem(422);
    }
    // Without stored texts, ids cannot be compared.
    service.put("/v1/collections/bare", json!({})).await.ok();
    service.put("/v1/collections/bare/documents/a", json!({"text": CAT})).await.ok();
    let problem = service
        .post("/v1/collections/bare/compare", json!({"id": "a", "other_text": CAT}))
        .await
        .problem(422);
    assert!(problem.contains("texts"), "{problem}");
    service.post("/v1/collections/bare/compare", json!({"text": CAT, "other_text": CAT})).await.ok();
}
