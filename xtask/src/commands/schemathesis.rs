//! The program with which the service is asked what its OpenAPI document allows, in an environment that is kept between runs.

use super::python;
use crate::output;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The variable by which the test finds the program, if it is not among those of the user.
const VARIABLE: &str = "LOOKALIKE_SCHEMATHESIS";

const PACKAGES: [&str; 1] = ["schemathesis>=4,<5"];

/// The program for the test of the service: that of the user, or one that is installed now.
#[derive(Debug)]
pub(super) struct Schemathesis {
    /// The path of the installed one.
    installed: Option<PathBuf>,
    /// Why there is none.
    missing: Option<String>,
}

impl Schemathesis {
    /// Looks for the program of the user, and installs one if there is none. That it cannot be installed, without a network for
    /// example, is said at the end, and is no failure.
    pub(super) fn find() -> Self {
        let named = std::env::var(VARIABLE).unwrap_or_else(|_| "schemathesis".into());
        let mut version = Command::new(named);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if version.status().is_ok_and(|status| status.success()) {
            return Self { installed: None, missing: None };
        }
        match python::environment("schemathesis", &PACKAGES) {
            Ok(environment) => {
                Self { installed: Some(python::program(&environment, "schemathesis")), missing: None }
            }
            Err(why) => Self { installed: None, missing: Some(why) },
        }
    }

    /// The command with the variable that names the program.
    pub(super) fn tell<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        match &self.installed {
            Some(program) => command.env(VARIABLE, program),
            None => command,
        }
    }

    /// Says that the service was not asked by it, if that is so.
    pub(super) fn say_if_missing(&self) {
        if let Some(why) = &self.missing {
            let why = why.lines().next().unwrap_or_default();
            output::line(&format!("NOT tested: the service against its OpenAPI document ({why})"));
        }
    }
}
