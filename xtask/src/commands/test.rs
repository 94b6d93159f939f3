//! `cargo xtask test`: checks everything that must hold before a change is accepted. It stops at the first failure.

use super::schemathesis::Schemathesis;
use super::store::Store;
use super::{python, readme};
use crate::{output, step};
use std::process::{Command, Stdio};
use std::time::Instant;

/// `full`: also what takes long, which is the tests on Apache Spark that kill in every stage or start clusters of processes.
pub(crate) fn run(full: bool) -> Result<(), String> {
    let start = Instant::now();
    component("rustfmt", "fmt")?;
    component("clippy", "clippy")?;

    step::run("formatting", &mut step::cargo(["fmt", "--all", "--check"]))?;
    let fuzz = ["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"];
    step::run("formatting of the fuzz targets", &mut step::cargo(fuzz))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    step::run("clippy", &mut step::cargo(clippy))?;
    let tests = ["test", "--workspace", "--all-features", "--lib", "--bins", "--tests"];
    let store = Store::start()?;
    let schemathesis = Schemathesis::find();
    let mut tests = step::cargo(tests);
    let tests = step::run_tests("tests", schemathesis.tell(store.tell(&mut tests)))?;
    drop(store);
    let doc_tests = ["test", "--workspace", "--all-features", "--doc"];
    let doc_tests = step::run_tests("doc tests", &mut step::cargo(doc_tests))?;
    let docs = ["doc", "--workspace", "--all-features", "--no-deps"];
    step::run("docs without warnings", step::cargo(docs).env("RUSTDOCFLAGS", "-D warnings"))?;
    let examples = examples()?;
    for example in &examples {
        // The profile of the tests is used, so that nothing is compiled twice.
        let run = ["run", "--quiet", "--profile", "test", "--package", "lookalike", "--all-features"];
        let run = run.into_iter().chain(["--example", example]);
        let printed = step::run_for_output(&format!("example {example}"), &mut step::cargo(run))?;
        if example == readme::EXAMPLE {
            readme::check(&printed)?;
        }
    }
    check_embedded()?;
    check_features()?;
    check_other_architectures()?;
    check_oldest_rust()?;
    check_fuzz_targets()?;
    let python_tests = python::test(full)?;

    let seconds = start.elapsed().as_secs_f64();
    // The other one is that of the index.
    let examples = examples.len() + 1;
    output::line(&format!(
        "all passed: {tests} tests, {doc_tests} doc tests, {examples} examples, {python_tests} tests in \
         Python, {seconds:.0} s"
    ));
    not_tested_here();
    schemathesis.say_if_missing();
    Ok(())
}

/// Runs the example of the index, which has one without a server: of two texts that are alike, one is new.
fn check_embedded() -> Result<(), String> {
    let folder = step::build_folder().join("embedded");
    let failed = |cause| format!("{}: {cause}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let texts = folder.join("texts");
    std::fs::write(&texts, "one two three four five six\nOne two three four five six!\n").map_err(failed)?;
    let run = ["run", "--quiet", "--profile", "test", "--package", "lookalike-index", "--all-features"];
    let mut run = step::cargo(run.into_iter().chain(["--example", "embed", "--"]));
    run.arg(folder.join("seen")).stdin(std::fs::File::open(&texts).map_err(failed)?);
    let printed = step::run_for_output("example embed", &mut run)?;
    match printed.as_str() {
        "new, kept as line-1\nlike line-1, similarity 1.000\n" => Ok(()),
        other => Err(format!("the example embed printed something else:\n{other}")),
    }
}

/// Prints which kinds of CPUs could not be tested on this machine.
fn not_tested_here() {
    let missing = lookalike::Kernel::missing();
    let run: Vec<&str> = lookalike::Kernel::available().iter().map(|kernel| kernel.name()).collect();
    output::line(&format!("kernels tested on this CPU: {}", run.join(", ")));
    if !missing.is_empty() {
        output::line(&format!("NOT tested, because this CPU cannot run them: {}", missing.join(", ")));
    }
    if cfg!(not(target_arch = "aarch64")) {
        output::line("NOT tested: 64-bit Arm (it runs the portable kernel)");
    }
}

/// Checks that the command compiles without the features that take long to build, and with each of them alone.
fn check_features() -> Result<(), String> {
    for feature in ["", "parquet", "object-store", "server"] {
        let check = ["check", "--package", "lookalike-cli", "--no-default-features", "--features", feature];
        let with = if feature.is_empty() { "no feature" } else { feature };
        step::run(&format!("the command compiles with {with}"), &mut step::cargo(check))?;
    }
    Ok(())
}

/// The other architecture that the library supports.
const OTHER_TARGET: &str = "aarch64-unknown-linux-gnu";

/// Checks that the library compiles for 64-bit Arm, if the standard library for it is installed.
fn check_other_architectures() -> Result<(), String> {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let installed =
        installed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !installed.lines().any(|target| target == OTHER_TARGET) {
        output::note(&format!(
            "the library is not checked for {OTHER_TARGET}; run `rustup target add {OTHER_TARGET}` to enable \
             this check"
        ));
        return Ok(());
    }
    let check = ["check", "-p", "lookalike", "--all-features", "--lib", "--target", OTHER_TARGET];
    step::run("the library compiles for 64-bit Arm", &mut step::cargo(check))
}

/// Checks that the command and the library compile with the oldest Rust that they are said to need, if rustup has it.
fn check_oldest_rust() -> Result<(), String> {
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    let listed = Command::new("rustup").args(["toolchain", "list"]).output();
    let listed =
        listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let is_oldest = |name: &&str| {
        let rest = name.strip_prefix(oldest);
        rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with('-'))
    };
    let Some(toolchain) = listed.split_whitespace().find(is_oldest) else {
        output::note(&format!(
            "Rust {oldest}, the oldest that is supported, is not installed, so nothing is checked with it; \
             `rustup toolchain install {oldest} --profile minimal` installs it"
        ));
        return Ok(());
    };
    let mut check = Command::new("cargo");
    check.args(["check", "--package", "lookalike", "--package", "lookalike-cli", "--all-features"]);
    check.current_dir(step::root()).env("RUSTUP_TOOLCHAIN", toolchain);
    check.env("CARGO_TARGET_DIR", step::build_folder().join("oldest-rust"));
    // Those of the cargo that runs us, which is another version.
    check.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTDOC");
    step::run(&format!("the command compiles with Rust {oldest}"), &mut check)
}

/// Makes sure that a component of the toolchain is installed; rustup adds it if necessary.
fn component(name: &str, subcommand: &str) -> Result<(), String> {
    let present = || {
        let mut version = step::cargo([subcommand, "--version"]);
        version.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    if present() {
        return Ok(());
    }
    // The output of rustup is shown to the user. Cargo decides whether the component is installed now.
    let added = step::run(
        &format!("installing {name}"),
        Command::new("rustup").args(["component", "add", name]).current_dir(step::root()),
    );
    if added.is_ok() && present() {
        Ok(())
    } else {
        Err(format!(
            "{name} is not installed and rustup could not add it; install it for the Rust toolchain in use"
        ))
    }
}

/// Compiles the fuzz targets without running them, if the C++ compiler that libFuzzer needs is installed.
fn check_fuzz_targets() -> Result<(), String> {
    // The compiler that the `cc` crate uses unless `CXX` names another one.
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let mut version = Command::new(compiler.split_whitespace().next().unwrap_or("c++"));
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        output::note(&format!("the fuzz targets are not checked: there is no C++ compiler `{compiler}`"));
        return Ok(());
    }
    let check = ["check", "--manifest-path", "fuzz/Cargo.toml", "--bins", "--locked"];
    step::run("fuzz targets compile", step::cargo(check).env("CARGO_TARGET_DIR", step::build_folder()))
}

/// The names of the library's examples, in order: files, and folders with a `main.rs`. It is an error if there are
/// none.
fn examples() -> Result<Vec<String>, String> {
    let folder = step::root().join("crates/lookalike/examples");
    let cannot_read = |cause| format!("cannot read {}: {cause}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(cannot_read)? {
        let path = entry.map_err(cannot_read)?.path();
        let is_example = path.extension().is_some_and(|end| end == "rs") || path.join("main.rs").is_file();
        if is_example {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    if names.is_empty() {
        return Err(format!("there are no examples in {}", folder.display()));
    }
    names.sort_unstable();
    Ok(names)
}
