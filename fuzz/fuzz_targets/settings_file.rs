//! Any text as a settings file. The result must be an error that says what is wrong, or settings with which a run is
//! planned or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pipeline::{Job, Resources};

fuzz_target!(|text: &str| {
    match cli::settings_of(text) {
        Err(wrong) => assert!(!wrong.is_empty()),
        Ok(mut settings) => {
            // It would be read, and there is none.
            settings.signature.weights = None;
            let resources = Resources { memory: 1 << 28, threads: 1, temp_dir: None, max_pairs: None };
            let indexes = pipeline::Indexes::default();
            let (sources, against) = (Vec::new(), Vec::new());
            let job = Job { sources, against, settings, resources, sketch: None, indexes };
            if let Err(refused) = pipeline::plan(&job) {
                assert!(!refused.to_string().is_empty());
            }
        }
    }
});
