//! Plain data -> pages of HTML, one file each.
//!
//! All pages share one design. `style.css` styles everything that is not a plot. `script.js` adds conveniences;
//! the pages also work without it.

pub(crate) mod compare;
pub(crate) mod evaluation;
pub(crate) mod examples;
pub(crate) mod marked_text;
pub(crate) mod records;
pub(crate) mod records_data;
pub(crate) mod report;
pub(crate) mod report_data;
pub(crate) mod waterfall;

use crate::numbers::shortened;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(crate) const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A security policy that allows only the page's own style and script, in case foreign markup gets into the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// At most this many characters of a name are shown.
const NAME: usize = 160;

/// A whole page.
pub(crate) fn page(title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(crate::svg::STYLE)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// A figure with its caption.
pub(crate) fn figure(svg: &crate::svg::Svg, caption: &Markup) -> Markup {
    html! { figure { (svg.inline()) figcaption { (caption) } } }
}

/// A list of names and values.
pub(crate) fn facts<'a>(facts: impl IntoIterator<Item = (&'a str, String)>) -> Markup {
    html! {
        dl class="facts" {
            @for (name, value) in facts { div { dt { (shortened(name, NAME)) } dd { (value) } } }
        }
    }
}
