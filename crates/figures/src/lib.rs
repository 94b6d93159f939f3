//! Results of lookalike -> pictures and pages.
//!
//! Functions take plain data and return text: [`svg`] plots, [`terminal`] plots and texts side by side, and whole
//! pages of HTML ([`compare_page`], [`report_page`], [`records_page`]). Nothing here reads or writes files.
//!
//! **Pages** are one file each. The file contains the styles and a small script, and the page loads nothing else. Pages
//! can be read without the script, by keyboard, on paper, and in light or dark colours. `maud` escapes all text of
//! documents, so a corpus full of `<script>` is harmless.
//!
//! ```
//! use figures::svg::{Curve, CurvePlot};
//! use lookalike::banding::{Banding, SCurve};
//!
//! let curve = SCurve::new(Banding::new(16, 8)?);
//! let plot = CurvePlot { threshold: Some(0.8), ..CurvePlot::of(Curve::sample("16 x 8", |s| curve.probability(s))) };
//! assert!(plot.svg().standalone().starts_with("<svg"));
//! # Ok::<(), lookalike::Error>(())
//! ```

mod framed;
mod numbers;
mod page;
pub mod svg;
pub mod terminal;

pub use numbers::{area, bytes, count, percent, seconds, similarity};
pub use page::compare::{CompareData, Estimate, Finding, NamedText, compare_page};
pub use page::evaluation::{EvaluationData, MistakenPair, Mistakes, evaluation_page};
pub use page::examples::{ClusterExample, ExampleText, Member, PairExample, ValueExample};
pub use page::records::{compare_records_page, records_page};
pub use page::records_data::{BandCount, Label, RecordCluster, RecordMember, RecordsData, RecordsHeadline};
pub use page::report::{PAGE_BUDGET, report_page};
pub use page::report_data::{Checked, Headline, KindCount, PlanData, RecallData, ReportData, SourceCount};
pub use page::waterfall::{RecordPair, Step};

/// The styles of all pages and plots, for a page that is not made here.
#[must_use]
pub fn style() -> String {
    format!("{}{}", page::STYLE, svg::STYLE)
}
