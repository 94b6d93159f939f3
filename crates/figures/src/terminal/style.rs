//! Colours of a terminal.

/// Whether colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    /// ANSI colours.
    On,
    /// Plain text.
    Off,
}

/// The style of a stretch of text: codes of ANSI's "select graphic rendition". Plain text has an empty style.
pub(super) type Style = &'static str;

pub(super) const PLAIN: Style = "";
pub(super) const DIM: Style = "2";
pub(super) const ACCENT: Style = "36";
pub(super) const WARM: Style = "33";

/// The colours of passages, used in turn.
pub(super) const PASSAGES: [Style; 6] = ["36", "33", "35", "32", "34", "31"];
/// The same colours with an underline, for passages that are not in order.
pub(super) const MOVED_PASSAGES: [Style; 6] = ["4;36", "4;33", "4;35", "4;32", "4;34", "4;31"];

impl Colors {
    /// `text` in this style.
    pub(super) fn paint(self, text: &str, style: Style) -> String {
        match self {
            Self::On if style != PLAIN && !text.is_empty() => format!("\u{1b}[{style}m{text}\u{1b}[0m"),
            Self::On | Self::Off => text.to_owned(),
        }
    }
}
