//! `lookalike serve`: indexes over HTTP, until it is told to stop.

use crate::arguments::{Access, ServeArguments, ServiceLimits};
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::Printer;
use server::{Error, Limits, LogFormat, Options, Server, Tokens, write_logs};
use std::path::Path;
use std::time::Duration;

/// How often it is asked whether to stop.
const NAP: Duration = Duration::from_millis(50);

/// Files of tokens are not larger than this.
const MOST_TOKENS: u64 = 1 << 20;

/// Runs the command.
pub(crate) fn run(arguments: &ServeArguments, printer: &Printer) -> Result<()> {
    let options = options(arguments)?;
    write_logs(if arguments.json_log { LogFormat::Json } else { LogFormat::Text });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|cause| Failure::io("start", "the threads of the service", &cause))?;
    interruption::begin_service()?;
    let outcome = runtime.block_on(async {
        let server = Server::bind(options).await?;
        printer.serving(server.address());
        server.run(stopped()).await
    });
    interruption::end_run();
    outcome.map_err(failure)
}

/// Is done when the user asked to stop.
async fn stopped() {
    while !interruption::requested() {
        tokio::time::sleep(NAP).await;
    }
}

fn options(arguments: &ServeArguments) -> Result<Options> {
    let ServeArguments { collections, listen, root, backups, access, limits, cache, .. } = arguments;
    let Access { read_tokens, write_tokens, allow_anyone } = access;
    let tokens = Tokens {
        read: tokens(read_tokens.as_deref(), "LOOKALIKE_READ_TOKEN")?,
        write: tokens(write_tokens.as_deref(), "LOOKALIKE_WRITE_TOKEN")?,
    };
    let mut index = index::Options::default();
    if let Some(cache) = cache {
        index = index.with_cache(cache.0);
    }
    Ok(Options::default()
        .with_listen(*listen)
        .with_collections(collections.clone())
        .with_folder(root.clone())
        .with_backups(backups.clone())
        .with_tokens(tokens)
        .with_allow_anyone(*allow_anyone)
        .with_limits(limits_of(limits))
        .with_index(index))
}

fn limits_of(chosen: &ServiceLimits) -> Limits {
    let ServiceLimits { max_body, max_line, longest_text, batch, requests, connections, timeout, grace } =
        chosen;
    let mut limits = Limits::default();
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    for (limit, chosen) in
        [(&mut limits.body, max_body), (&mut limits.line, max_line), (&mut limits.text, longest_text)]
    {
        *limit = chosen.map_or(*limit, |bytes| size(bytes.0));
    }
    for (limit, chosen) in
        [(&mut limits.batch, batch), (&mut limits.requests, requests), (&mut limits.connections, connections)]
    {
        *limit = chosen.map_or(*limit, |number| size(u64::from(number)));
    }
    for (limit, chosen) in [(&mut limits.time, timeout), (&mut limits.grace, grace)] {
        *limit = chosen.unwrap_or(*limit);
    }
    limits
}

/// The tokens of a file, one per line, and of an environment variable.
fn tokens(file: Option<&Path>, variable: &str) -> Result<Vec<String>> {
    let listed = match file {
        Some(path) => corpus::read_text(path.as_os_str(), MOST_TOKENS)?,
        None => String::new(),
    };
    let mut tokens: Vec<String> =
        listed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if let (Some(path), true) = (file, tokens.is_empty()) {
        return Err(Failure::usage(format!("{} has no token", path.display()))
            .with_advice("write one token per line"));
    }
    match std::env::var(variable) {
        Ok(token) if !token.trim().is_empty() => tokens.push(token.trim().to_owned()),
        Err(std::env::VarError::NotPresent) => {}
        _ => return Err(Failure::usage(format!("the environment variable {variable} has no token"))),
    }
    Ok(tokens)
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Index { path, cause } => Failure::from(*cause).about(Some(path.display().to_string())),
        Error::Open { .. } => Failure::usage(error.to_string()).with_advice(
            "name a file of tokens with --write-tokens, listen on 127.0.0.1, or insist with --allow-anyone",
        ),
        Error::Name { .. } | Error::SameName { .. } | Error::Token => {
            with_next(Failure::usage(error.to_string()), &error)
        }
        error => with_next(Failure::outside(error.to_string()), &error),
    }
}

fn with_next(failure: Failure, error: &Error) -> Failure {
    match error.next() {
        Some(next) => failure.with_advice(next),
        None => failure,
    }
}
