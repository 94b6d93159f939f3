//! The table of presets.

use pipeline::Settings;
use pipeline::presets::{Figures, Preset};
use serde_json::json;

/// The presets as a table.
pub(crate) fn table(rows: &[(Preset, Settings, Figures)]) -> String {
    let header = ["preset", "shingles", "hashes", "bands", "threshold", "recall", "0.99 from", "as in"];
    let mut table = vec![header.map(str::to_owned)];
    for (preset, settings, Figures { banding, recall, found_at }) in rows {
        table.push([
            preset.name.into(),
            settings.signature.shingles.clone(),
            settings.signature.hashes.to_string(),
            format!("{}x{}", banding.bands(), banding.rows()),
            settings.matching.threshold.to_string(),
            format!("{recall:.3}"),
            format!("{found_at:.3}"),
            preset.about.into(),
        ]);
    }
    let mut text = aligned(&table);
    text.push_str(
        "\nrecall: the share of the pairs at the threshold that become candidates. 0.99 from: the lowest similarity at which\n\
         99 % of the pairs become candidates. --recall plans other bands: see lookalike presets --help.\n",
    );
    text
}

/// The presets as JSON, an object per line.
pub(crate) fn json(rows: &[(Preset, Settings, Figures)]) -> String {
    let mut text = String::new();
    for (preset, settings, Figures { banding, recall, found_at }) in rows {
        let row = json!({
            "preset": preset.name,
            "about": preset.about,
            "shingles": settings.signature.shingles,
            "hashes": settings.signature.hashes,
            "bands": banding.bands(),
            "rows": banding.rows(),
            "threshold": settings.matching.threshold,
            "recall_at_threshold": recall,
            "similarity_at_recall_0.99": found_at,
        });
        text.push_str(&row.to_string());
        text.push('\n');
    }
    text
}

/// Columns of equal width, two spaces apart.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
