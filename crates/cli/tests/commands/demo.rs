//! What the README shows of its first command is what the command prints.

use super::lookalike::Folder;
use std::path::Path;

#[test]
fn readme_shows_what_the_demo_prints() {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, after) = readme.split_once("-- dedup demo/articles.jsonl").expect("the README runs the demo");
    let (arguments, after) = after.split_once('\n').unwrap();
    let arguments = arguments.split('#').next().unwrap();
    let block = |text: &'static str| format!("```{text}\n");
    let (_, after) = after.split_once(&block("text")).expect("the README shows what the demo prints");
    let (shown, after) = after.split_once("```").unwrap();
    let folder =
        Folder::new().with("demo/articles.jsonl", std::fs::read(root.join("demo/articles.jsonl")).unwrap());
    let outcome = folder.run(&format!("dedup demo/articles.jsonl {arguments}"));
    assert_eq!(outcome.code, 0, "{outcome}");
    let printed = outcome.to_string();
    let (_, printed) = printed.split_once("--- stderr\n").unwrap();
    assert_eq!(super::lookalike::without_times(shown), printed);
    // The one line of the list that is shown is one that the list has.
    let (_, after) = after.split_once(&block("json")).expect("the README shows a line of removed.jsonl");
    let (line, _) = after.split_once("```").unwrap();
    let target = arguments.split_whitespace().skip_while(|word| *word != "-o").nth(1).unwrap();
    assert!(folder.read(&format!("{target}/removed.jsonl")).contains(line), "{line}");
}
