//! `lookalike presets`: the settings of other tools.

use crate::failure::Result;
use crate::output::Printer;
use pipeline::Settings;
use pipeline::presets;

/// Runs the command.
pub(crate) fn run(printer: &Printer) -> Result<()> {
    let mut rows = Vec::new();
    for preset in presets::ALL {
        let mut settings = Settings::default();
        preset.apply(&mut settings)?;
        rows.push((preset, settings, preset.figures()?));
    }
    printer.presets(&rows)
}
