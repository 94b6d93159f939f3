//! The report in a real browser, where there is one.

use super::lookalike::Folder;
use std::path::Path;
use std::process::Command;

/// What Chromium makes of a page: the document after all scripts ran.
fn in_chromium(page: &Path) -> Option<String> {
    let name = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success()))?;
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(name)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    // A browser that does not start in this environment shows nothing.
    (!dom.is_empty()).then_some(dom)
}

#[test]
fn the_report_opens_without_errors_and_clusters_show_their_members() {
    let articles = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../demo/articles.jsonl");
    let folder = Folder::new().with("articles.jsonl", std::fs::read(articles).unwrap());
    let outcome = folder.run("dedup articles.jsonl --id-field id -o clean --report");
    assert_eq!(outcome.code, 0, "{outcome}");
    let page = folder.read("clean/report.html");
    // What a person would do and see, written into the document: errors, a click, what was loaded.
    let watch = "<script>window.errors=[];addEventListener('error',event=>errors.push(event.message));\
        addEventListener('securitypolicyviolation',event=>errors.push(event.blockedURI))</script>";
    let act = "<script>addEventListener('load',()=>{\
        const cluster=document.querySelector('#clusters-examples details, details.cluster, details');\
        cluster.querySelector('summary').click();\
        const seen=document.createElement('p');seen.id='seen';\
        seen.textContent=[errors.length,cluster.open,performance.getEntriesByType('resource').length].join(' ');\
        document.body.append(seen)})</script>";
    let page = page.replacen("<head>", &format!("<head>{watch}"), 1).replacen(
        "</body>",
        &format!("{act}</body>"),
        1,
    );
    let folder = folder.with("watched.html", &page);
    let Some(dom) = in_chromium(&folder.path("watched.html")) else {
        eprintln!("skipped: no Chromium that starts");
        return;
    };
    assert!(dom.contains("<p id=\"seen\">0 true 0</p>"), "{}", &dom[dom.len().saturating_sub(2_000)..]);
    let report: serde_json::Value = serde_json::from_str(&folder.read("clean/report.json")).unwrap();
    for count in ["documents", "kept", "exact", "near"] {
        assert!(dom.contains(&format!(">{}<", report["counts"][count])), "{count}");
    }
    for bin in report["histogram"].as_array().unwrap().iter().filter(|bin| **bin != 0) {
        assert!(dom.contains(&format!(">{bin}</text>")), "the bar of {bin}");
    }
}
