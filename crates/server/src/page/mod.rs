//! The page for people: paste a text and see what looks like it, browse, add and remove, watch the numbers, and play with
//! the S-curve.
//!
//! The page is one file of HTML, one of styles and one script, all part of the program. It loads nothing from elsewhere,
//! and its security policy forbids that. The script puts texts, ids and names into the page as text, never as markup. A
//! token is kept in memory until the page is closed.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse;
use maud::{DOCTYPE, Markup, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page.
pub(crate) async fn html() -> impl IntoResponse {
    ([policy(), kind("text/html; charset=utf-8")], document().into_string())
}

/// The styles: those of reports and plots, and those of this page.
pub(crate) async fn css() -> impl IntoResponse {
    ([kind("text/css; charset=utf-8")], format!("{}\n{STYLE}", figures::style()))
}

/// The script.
pub(crate) async fn js() -> impl IntoResponse {
    ([kind("text/javascript; charset=utf-8")], SCRIPT)
}

fn policy() -> (HeaderName, HeaderValue) {
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY))
}

fn kind(kind: &'static str) -> (HeaderName, HeaderValue) {
    (header::CONTENT_TYPE, HeaderValue::from_static(kind))
}

fn document() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "lookalike" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/page.css";
                script src="/page.js" defer {}
            }
            body {
                main class="compare service" {
                    header class="top" {
                        p class="kicker" { "lookalike" }
                        h1 { "Have we seen this?" }
                        div class="bar" {
                            label for="collection" { "Collection" }
                            select id="collection" {}
                            span id="collection-facts" class="muted" {}
                        }
                        (token())
                        p id="message" role="status" aria-live="polite" hidden {}
                        noscript { p class="note" { "This page needs its script. The service itself does not: see " a href="/docs" { "its addresses" } "." } }
                    }
                    nav aria-label="Parts of this page" {
                        a href="#ask" { "Ask" }
                        a href="#browse" { "Browse" }
                        a href="#collections" { "Collections" }
                        a href="#numbers" { "Numbers" }
                        a href="#curve" { "S-curve" }
                        a class="away" href="/docs/" { "API" }
                    }
                    (ask())
                    (browse())
                    (collections())
                    (numbers())
                    (curve())
                }
            }
        }
    }
}

fn token() -> Markup {
    html! {
        form id="token-form" class="bar" hidden {
            label for="token" { "This service needs a token" }
            input id="token" type="password" autocomplete="off" required;
            button { "Use it" }
            span class="muted" { "It is forgotten when this page is closed." }
        }
    }
}

fn ask() -> Markup {
    html! {
        section id="ask" aria-label="Ask" {
            form id="ask-form" {
                label class="block" for="text" { "Paste a text, or drop a file here" }
                textarea id="text" rows="9" spellcheck="false" {}
                div class="bar" {
                    label for="threshold" { "At least this similar" }
                    input id="threshold" type="number" min="0" max="1" step="0.01" placeholder="as usual";
                    label for="file" class="button" { "Choose a file" }
                    input id="file" type="file" class="outside";
                    button class="main" title="Ctrl+Enter" { "What looks like it?" }
                }
                div class="bar" {
                    label for="new-id" { "Add it as" }
                    input id="new-id" type="text" placeholder="an id" maxlength="1024" autocomplete="off";
                    button id="add" type="button" { "Add if it is new" }
                }
            }
            div id="result" aria-live="polite" {}
        }
    }
}

fn browse() -> Markup {
    html! {
        section id="browse" aria-label="Browse" hidden {
            form id="browse-form" class="bar" {
                label for="browse-id" { "Find an id" }
                input id="browse-id" type="text" autocomplete="off";
                button { "Find" }
                button id="browse-all" type="button" { "Show all, oldest first" }
            }
            div id="documents" {}
            button id="more" type="button" hidden { "More" }
        }
    }
}

fn collections() -> Markup {
    html! {
        section id="collections" aria-label="Collections" hidden {
            div id="collection-list" {}
            h2 { "A new collection" }
            form id="create-form" class="fields" {
                label { "Name" input id="create-name" required maxlength="64" pattern="[A-Za-z0-9_\\-]+" autocomplete="off"; }
                label { "Threshold" input id="create-threshold" type="number" min="0" max="1" step="0.01" value="0.8"; }
                label { "Store" select id="create-store" {
                    option value="text" selected { "texts: exact, with passages" }
                    option value="shingles" { "shingles: exact" }
                    option value="signatures" { "signatures: estimated" }
                } }
                label { "Shingles" input id="create-shingles" value="words:5" autocomplete="off"; }
                label { "Keep for (days)" input id="create-days" type="number" min="1" placeholder="ever"; }
                button { "Create" }
            }
        }
    }
}

fn numbers() -> Markup {
    html! {
        section id="numbers" aria-label="Numbers" hidden {
            p class="muted" { "Every two seconds, while this part of the page is open." }
            div id="charts" class="charts" {}
        }
    }
}

fn curve() -> Markup {
    html! {
        section id="curve" aria-label="S-curve" hidden {
            p { "A signature is cut into bands. Two documents become candidates if one of their bands is equal. With more bands, "
                "more is found; with more rows in a band, less is looked at in vain." }
            div class="columns wide" {
                figure { div id="curve-plot" {} figcaption { "The chance that a document is found, by its similarity. Shaded: what is missed above the threshold, and what is looked at in vain below it." } }
                div {
                    (slider("curve-threshold", "Threshold", "0.05", "0.99", "0.01", "0.8"))
                    (slider("curve-bands", "Bands", "1", "128", "1", "21"))
                    (slider("curve-rows", "Rows in a band", "1", "32", "1", "6"))
                    (slider("curve-documents", "Documents, as a power of ten", "3", "9", "0.5", "6"))
                    (slider("curve-unrelated", "Similarity of unrelated documents", "0", "0.5", "0.01", "0.05"))
                    dl id="curve-facts" class="facts" aria-live="polite" {}
                    button id="curve-own" type="button" { "As this collection has it" }
                }
            }
        }
    }
}

fn slider(id: &str, name: &str, min: &str, max: &str, step: &str, value: &str) -> Markup {
    html! {
        label class="slider" for=(id) {
            span { (name) } output id=(format!("{id}-value")) for=(id) { (value) }
            input id=(id) type="range" min=(min) max=(max) step=(step) value=(value);
        }
    }
}
