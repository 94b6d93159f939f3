//! As much of HTTP as the clients need.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;

/// A connection to the service. It ends with an error when the service is killed.
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
}

/// A request.
pub(crate) struct Request<'r> {
    pub(crate) method: &'static str,
    pub(crate) path: &'r str,
    pub(crate) key: Option<&'r str>,
    pub(crate) body: &'r str,
}

fn cut() -> Error {
    Error::from(ErrorKind::UnexpectedEof)
}

impl Connection {
    pub(crate) fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    /// Sends a request, and returns the status and the whole body of the answer.
    pub(crate) fn ask(&mut self, request: &Request<'_>) -> Result<(u16, String)> {
        let mut body = Vec::new();
        let status = self.ask_lines(request, |line| body.extend(line))?;
        Ok((status, String::from_utf8(body).expect("answers are UTF-8")))
    }

    /// Sends a request, and hands out the lines of the answer as they come, each with its end.
    pub(crate) fn ask_lines(&mut self, request: &Request<'_>, mut visit: impl FnMut(&[u8])) -> Result<u16> {
        let Request { method, path, key, body } = request;
        let key = key.map_or_else(String::new, |key| format!("Idempotency-Key: {key}\r\n"));
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{key}Content-Length: {length}\r\n\r\n");
        let stream = self.reader.get_mut();
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        let status = self.line()?.get(9..12).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().map_err(|_| cut())?,
                Some(("transfer-encoding", value)) => is_chunked = value == "chunked",
                Some(_) => {}
                None if line.is_empty() => break,
                None => return Err(cut()),
            }
        }
        let mut pending = Vec::new();
        let mut take = |piece: &[u8]| {
            for line in piece.split_inclusive(|&byte| byte == b'\n') {
                pending.extend(line);
                if line.ends_with(b"\n") {
                    visit(&std::mem::take(&mut pending));
                }
            }
        };
        if is_chunked {
            loop {
                let size = usize::from_str_radix(&self.line()?, 16).map_err(|_| cut())?;
                let piece = self.bytes(size)?;
                self.line()?;
                if size == 0 {
                    break;
                }
                take(&piece);
            }
        } else {
            let body = self.bytes(length)?;
            take(&body);
        }
        // An answer of one line has no end of it.
        if !pending.is_empty() {
            visit(&pending);
        }
        Ok(status)
    }

    /// A line without its end.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(cut)
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
