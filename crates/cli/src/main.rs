//! `lookalike` on the command line.

fn main() -> std::process::ExitCode {
    #[cfg(feature = "faults")]
    if let Some(call) = std::env::var("LOOKALIKE_DIE_AT_CALL").ok().and_then(|call| call.parse().ok()) {
        files::die_at_call(call);
    }
    cli::run(std::env::args_os()).into()
}
