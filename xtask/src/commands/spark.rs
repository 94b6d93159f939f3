//! The Python package on Apache Spark: its tests and its benchmark, in an environment that is kept between runs, since PySpark is
//! large.

use super::python;
use crate::{output, step};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the tests.
const TESTS: &str = "python/tests/spark";

/// What the tests need besides the package. Spark 4 does not work with pandas 3.
const PACKAGES: [&str; 5] = ["pyspark>=4,<5", "pandas>=2.2,<3", "pyarrow>=15", "pytest>=8", "numpy>=1.22"];

/// What the tests of a full run need too: Spark Connect, with all that it asks for.
const CONNECT: &str = "pyspark[connect]>=4,<5";

/// Tests the package on Spark; `full`: with all tests. Returns the number of tests that passed; none if there is no Java, which a
/// full run does not accept.
pub(super) fn test(wheels: &Path, full: bool) -> Result<u64, String> {
    if !has_java() {
        if full {
            return Err("a full run tests the package on Apache Spark, which needs Java 17 or later".into());
        }
        output::note("NOT tested: the package on Apache Spark, because there is no Java (17 or later)");
        return Ok(0);
    }
    let environment = python::environment("spark", &PACKAGES)?;
    if full {
        let mut pip = pip(&environment);
        step::run("Spark Connect from the package index", pip.arg(CONNECT).args(&PACKAGES[1..]))?;
    }
    install(&environment, wheels)?;
    let mut pytest = Command::new(python::program(&environment, "python"));
    pytest.args(["-m", "pytest", "--quiet", "--color=no", "-p", "no:cacheprovider"]);
    pytest.arg("--rootdir").arg(step::root()).arg(step::root().join(TESTS));
    // The tests run outside the repository root, so that Python finds the installed package.
    pytest.current_dir(&environment).env("SPARK_LOCAL_IP", "127.0.0.1").env_remove("PYTHONPATH");
    if full {
        pytest.env("LOOKALIKE_SPARK_FULL", "1");
    }
    step::run_tests("tests of the package on Apache Spark", &mut pytest)
}

/// The generated corpora of the benchmark, and how many documents each has: first the fixed part, then the growth of short documents,
/// pages of templates, and skew (near-copies of one document, and one template).
const CORPORA: [(&str, u32); 6] = [
    ("short", 1_000),
    ("short", 100_000),
    ("short", 1_000_000),
    ("pages", 20_000),
    ("near-copies", 100_000),
    ("templated", 50_000),
];

/// Compares the job on Spark with the command, on generated documents and on real prose, if there is some. `--quick`: with a tenth
/// of the generated ones.
pub(super) fn bench(options: &[&str]) -> Result<(), String> {
    if !has_java() {
        return Err("the benchmark of Spark needs Java 17 or later".into());
    }
    let build = ["build", "--release", "--package", "lookalike-cli"];
    step::run("the command to compare with", &mut step::cargo(build))?;
    let wheels = python::build_wheel()?;
    let environment = python::environment("spark", &PACKAGES)?;
    install(&environment, &wheels)?;
    let folder = step::build_folder().join("spark-documents");
    std::fs::create_dir_all(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let mut files = Vec::new();
    for (at, (kind, count)) in CORPORA.into_iter().enumerate() {
        let count = if at > 0 && options.contains(&"--quick") { count / 10 } else { count };
        let file = folder.join(format!("{kind}-{count}.jsonl"));
        let example =
            ["run", "--release", "--quiet", "--package", "lookalike-testkit", "--example", "generate"];
        let mut generate = step::cargo(example);
        step::run(&format!("{count} {kind}"), generate.arg(kind).arg(count.to_string()).arg(&file))?;
        files.push(file);
    }
    files.extend(prose());
    let mut python = Command::new(python::program(&environment, "python"));
    python.arg(step::root().join("python/benchmarks/spark_jobs.py"));
    python.arg(step::build_folder().join("release/lookalike")).args(files);
    python.current_dir(&environment).env("SPARK_LOCAL_IP", "127.0.0.1").env_remove("PYTHONPATH");
    step::run("the job on Apache Spark", &mut python)
}

/// The file of real prose, if the folder of real corpora is there.
fn prose() -> Option<PathBuf> {
    let beside = step::root().join("../shared/data");
    let folder = std::env::var_os("LOOKALIKE_DATA").map_or(beside, PathBuf::from);
    Some(folder.join("elife-bench/docs.jsonl.zst")).filter(|file| file.is_file())
}

fn install(environment: &Path, wheels: &Path) -> Result<(), String> {
    let mut pip = pip(environment);
    pip.args(["--force-reinstall", "--no-deps"]);
    step::run("the wheel, installed for Spark", pip.arg(python::only_wheel(wheels)?))
}

/// `pip install` in an environment.
fn pip(environment: &Path) -> Command {
    let mut pip = Command::new(python::program(environment, "python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

fn has_java() -> bool {
    let home = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/java"));
    let mut java = Command::new(home.unwrap_or_else(|| "java".into()));
    java.arg("-version").stdout(Stdio::null()).stderr(Stdio::null());
    java.status().is_ok_and(|status| status.success())
}
