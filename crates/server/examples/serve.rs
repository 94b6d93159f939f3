//! The service, for trying it out: `cargo run -p lookalike-server --example serve -- FOLDER [ADDRESS]`.
//!
//! The environment variables `READ_TOKEN` and `WRITE_TOKEN` set tokens. Ctrl-C ends it in order.

use server::{LogFormat, Options, Tokens, serve, write_logs};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("a folder for the collections is needed")?);
    let listen = arguments.next().unwrap_or_else(|| "127.0.0.1:7171".into()).parse()?;
    let token = |name: &str| std::env::var(name).into_iter().collect::<Vec<_>>();
    let options = Options::default()
        .with_listen(listen)
        .with_backups(Some(folder.join("backups")))
        .with_folder(Some(folder.join("collections")))
        .with_tokens(Tokens { read: token("READ_TOKEN"), write: token("WRITE_TOKEN") });
    write_logs(LogFormat::Text);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(options, async {
        // Without a signal handler, the service runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }))?;
    Ok(())
}
