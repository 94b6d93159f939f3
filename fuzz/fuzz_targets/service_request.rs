//! Any bytes as the body of a request to the service. The first byte chooses the address. Every answer is JSON; what is wrong
//! is a problem document that says so, and never a fault of the service.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::service::service;

fuzz_target!(|input: &[u8]| {
    let Some((choice, body)) = input.split_first() else { return };
    let collection = "/v1/collections/seen";
    let (method, address) = match choice % 8 {
        0 => ("PUT", "/documents/a"),
        1 => ("POST", "/check"),
        2 => ("POST", "/query"),
        3 => ("POST", "/compare"),
        4 => ("POST", "/remove"),
        5 => ("POST", "/backup"),
        6 => ("PUT", ""),
        // The body is a part of the address.
        _ => {
            let id: String = body.iter().map(|byte| format!("%{byte:02X}")).collect();
            for (method, address) in [
                ("GET", format!("{collection}/documents/{id}")),
                ("GET", format!("{collection}/documents?where={id}")),
            ] {
                service().ask(method, &address, Vec::new());
            }
            return;
        }
    };
    service().ask(method, &format!("{collection}{address}"), body.to_vec());
});
