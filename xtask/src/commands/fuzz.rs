//! `cargo xtask fuzz`: libFuzzer over the targets in `fuzz/`, with the address sanitizer.
//!
//! The targets are the same as for `cargo fuzz`, but neither `cargo fuzz` nor a nightly compiler is needed: the
//! coverage and sanitizer flags of the compiler are unlocked for these builds only. Each target begins with the
//! inputs in `fuzz/seeds` and with the inputs that it found before, in `fuzz/corpus`.

use crate::{output, step};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The flags that `cargo fuzz` passes: coverage counters and traced comparisons for libFuzzer, and the address
/// sanitizer.
const RUSTFLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Cdebug-assertions -Ccodegen-units=1";

/// The only platform for which the sanitized programs are built. Stating it also keeps the flags away from build
/// scripts.
const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(crate) fn run(seconds: u32, only: Option<&str>) -> Result<(), String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return Err(format!("fuzzing is set up for {TARGET} only"));
    }
    let fuzz = step::root().join("fuzz");
    let names = targets(&fuzz)?;
    let chosen: Vec<&String> = names.iter().filter(|name| only.is_none_or(|only| *name == only)).collect();
    if chosen.is_empty() {
        return Err(format!("unknown fuzz target; the targets are: {}", names.join(", ")));
    }

    // A separate folder inside the build folder of the workspace, because other flags would invalidate the builds
    // there.
    let build_folder = step::build_folder().join("fuzz");
    let mut build = step::cargo(["build", "--release", "--bins", "--target", TARGET]);
    build.current_dir(&fuzz).env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", RUSTFLAGS);
    build.env("CARGO_TARGET_DIR", &build_folder);
    step::run("building the fuzz targets", &mut build)?;

    for name in &chosen {
        let folder = |kind: &str| -> Result<PathBuf, String> {
            let folder = fuzz.join(kind).join(name);
            std::fs::create_dir_all(&folder)
                .map_err(|cause| format!("cannot create {}: {cause}", folder.display()))?;
            Ok(folder)
        };
        // New inputs are written to the first folder; the others are only read.
        let (corpus, seeds, artifacts) =
            (folder("corpus")?, fuzz.join("seeds").join(name), folder("artifacts")?);
        let mut target = Command::new(build_folder.join(TARGET).join("release").join(name));
        target
            .arg(format!("-max_total_time={seconds}"))
            .arg("-verbosity=0")
            .args(["-print_final_stats=1", "-print_funcs=0"]);
        target.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(&corpus);
        if seeds.is_dir() {
            target.arg(&seeds);
        }
        target.current_dir(&fuzz);
        step::run(&format!("fuzzing {name} for {seconds} s"), &mut target)?;
    }
    output::line(&format!("all passed: {} fuzz targets, {seconds} s each", chosen.len()));
    Ok(())
}

/// The names of the targets, in order.
fn targets(fuzz: &Path) -> Result<Vec<String>, String> {
    let folder = fuzz.join("fuzz_targets");
    let cannot_read = |cause| format!("cannot read {}: {cause}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(cannot_read)? {
        let path = entry.map_err(cannot_read)?.path();
        if path.extension().is_some_and(|end| end == "rs") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort_unstable();
    Ok(names)
}
