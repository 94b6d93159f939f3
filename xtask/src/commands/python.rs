//! The Python package: its wheel is built, installed into a fresh virtual environment with all that its tests need, and
//! tested there as a user has it.

use crate::step;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the tests are, and the documents whose snippets they run.
const TESTS: &str = "python/tests";
/// Where the benchmarks are.
const BENCHMARKS: &str = "python/benchmarks";

/// Builds, installs and tests; how many tests passed.
pub(super) fn test() -> Result<u64, String> {
    let environment = install("test")?;
    let folder = folder();
    let program = |name: &str| in_environment(&environment, name);
    // Away from the root, so that the installed package is the one that is found.
    let mut mypy = program("mypy");
    mypy.arg("--config-file").arg(step::root().join("pyproject.toml")).args(["-p", "lookalike"]);
    step::run("types of the package", mypy.current_dir(&folder))?;
    let tests = step::root().join(TESTS);
    let mut pytest = program("python");
    pytest.args(["-m", "pytest", "--quiet", "--color=no", "-p", "no:cacheprovider"]).arg(tests);
    step::run_tests("tests of the package", pytest.current_dir(&folder))
}

/// The benchmarks of the package, on the texts of `elife-bench` if they are there, else on the demo.
pub(super) fn bench() -> Result<(), String> {
    let build = ["build", "--release", "--package", "lookalike-cli"];
    step::run("the command to compare with", &mut step::cargo(build))?;
    let command = step::build_folder().join("release/lookalike");
    let data = std::env::var_os("LOOKALIKE_DATA").map(PathBuf::from);
    let data = data.unwrap_or_else(|| step::root().join("../shared/data"));
    let real = data.join("elife-bench/docs.jsonl.zst");
    let texts = if real.exists() { real } else { step::root().join("demo/articles.jsonl") };
    let environment = install("bench")?;
    for (name, arguments) in
        [("dedup", vec![&texts, &command]), ("blocks", vec![&texts]), ("compat", Vec::new())]
    {
        let script = step::root().join(BENCHMARKS).join(name).with_extension("py");
        let mut python = in_environment(&environment, "python");
        step::run(&format!("{BENCHMARKS}/{name}.py"), python.arg(script).args(arguments))?;
    }
    Ok(())
}

/// Where the environment and the wheel go.
fn folder() -> PathBuf {
    step::build_folder().join("python")
}

/// Makes a fresh environment with the wheel, as it is now, and what the extra `needs`.
fn install(needs: &str) -> Result<PathBuf, String> {
    let (environment, wheels) = (folder().join("environment"), folder().join("wheels"));
    for stale in [&environment, &wheels] {
        if stale.exists() {
            std::fs::remove_dir_all(stale)
                .map_err(|cause| format!("cannot remove {}: {cause}", stale.display()))?;
        }
    }
    make_environment(&environment)?;
    let pip = || {
        let mut pip = in_environment(&environment, "python");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    };
    step::run("maturin", pip().arg("maturin>=1.16,<2"))?;
    let build = ["build", "--release", "--quiet", "--out"];
    step::run("the wheel", in_environment(&environment, "maturin").args(build).arg(&wheels))?;
    let wheel = format!("{}[{needs}]", only_wheel(&wheels)?.display());
    step::run(&format!("the wheel, installed for `{needs}`"), pip().arg(wheel))?;
    Ok(environment)
}

/// An environment of this name with these packages; one that is there already is used as it is.
pub(super) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let environment = folder().join(name);
    let done = environment.join("installed");
    if done.exists() {
        return Ok(environment);
    }
    make_environment(&environment)?;
    let mut pip = in_environment(&environment, "python");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    step::run(&format!("{} from the package index", packages.join(", ")), &mut pip)?;
    std::fs::write(&done, "").map_err(|cause| format!("cannot write {}: {cause}", done.display()))?;
    Ok(environment)
}

pub(super) fn make_environment(environment: &Path) -> Result<(), String> {
    let interpreter = std::env::var("LOOKALIKE_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut make = Command::new(&interpreter);
    make.args(["-m", "venv", "--clear"]).arg(environment);
    step::run("a fresh virtual environment", &mut make).map_err(|error| {
        format!("{error}\nPython 3.9 or later is needed; LOOKALIKE_PYTHON says which one to use")
    })
}

/// Where a program of an environment is.
pub(super) fn program(environment: &Path, name: &str) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
}

/// A program of the environment.
fn in_environment(environment: &Path, name: &str) -> Command {
    let mut command = Command::new(program(environment, name));
    command.current_dir(step::root()).env("VIRTUAL_ENV", environment).env_remove("PYTHONPATH");
    command
}

/// The wheel in the folder.
pub(super) fn only_wheel(folder: &Path) -> Result<PathBuf, String> {
    let cannot_read = |cause| format!("cannot read {}: {cause}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(cannot_read)?;
    let files = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let mut wheels = files.map_err(cannot_read)?;
    wheels.retain(|file| file.extension().is_some_and(|end| end == "whl"));
    match wheels.as_slice() {
        [wheel] => Ok(wheel.clone()),
        others => Err(format!("{} holds {} wheels, and there should be one", folder.display(), others.len())),
    }
}
