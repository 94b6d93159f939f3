//! Compares the output in the README with the output of the example.

use crate::step;

/// The example whose output is in the README.
pub(super) const EXAMPLE: &str = "near_duplicates";

/// Fails if the output in the README differs from the output of the example.
pub(super) fn check(printed: &str) -> Result<(), String> {
    let path = step::root().join("README.md");
    let readme =
        std::fs::read_to_string(&path).map_err(|cause| format!("cannot read {}: {cause}", path.display()))?;
    compare(&readme, printed)
}

fn compare(readme: &str, printed: &str) -> Result<(), String> {
    let shown = shown_output(readme).ok_or_else(|| {
        format!(
            "README.md: no ```text block after `--example {EXAMPLE}`; it should show the output of the example"
        )
    })?;
    let (shown, printed) = (trimmed(shown), trimmed(printed));
    let lines = shown.len().max(printed.len());
    let Some(line) = (0..lines).find(|&line| shown.get(line) != printed.get(line)) else { return Ok(()) };
    let text = |lines: &[&str]| lines.get(line).map_or("nothing".into(), |text| format!("`{text}`"));
    Err(format!(
        "README.md does not show the output of the example {EXAMPLE}. Line {} of its ```text block:\n    \
         README:  {}\n    example: {}",
        line + 1,
        text(&shown),
        text(&printed)
    ))
}

/// The first block of text after the command that runs the example.
fn shown_output(readme: &str) -> Option<&str> {
    let (_, after) = readme.split_once(&format!("--example {EXAMPLE}"))?;
    let (_, block) = after.split_once("\n```text\n")?;
    let (block, _) = block.split_once("\n```")?;
    Some(block)
}

/// The lines without spaces at their ends, and without empty lines at the end of the text.
fn trimmed(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str =
        "    cargo run --example near_duplicates\n\nprints\n\n```text\none  \n\ntwo\n```\n\nmore\n";

    #[test]
    fn equal_output_passes_whatever_blanks_end_its_lines() {
        assert_eq!(compare(README, "one\n\ntwo   \n"), Ok(()));
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        let names = |printed, words: [&str; 2]| {
            compare(README, printed).is_err_and(|message| words.iter().all(|word| message.contains(word)))
        };
        assert!(names("one\n\nthree\n", ["`two`", "`three`"]));
        assert!(names("one\n", ["Line 2", "nothing"]));
        assert!(names("one\n\ntwo\nthree\n", ["nothing", "`three`"]));
    }

    #[test]
    fn a_readme_without_the_output_fails() {
        assert!(compare("cargo run --example near_duplicates", "").is_err());
        assert!(compare("```text\none\n```", "one").is_err());
    }
}
