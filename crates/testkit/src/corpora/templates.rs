//! Pages that share a template. Such documents fill buckets.

use super::{Document, Prose, Truth};
use lookalike::hashing::{SplitMix64, mix64};

/// HTML pages from a few templates, each with its own content.
#[derive(Debug, Clone)]
pub struct Pages {
    /// Number of pages.
    pub pages: usize,
    /// Number of templates.
    pub templates: usize,
    /// Approximate length of a page in bytes.
    pub bytes: usize,
    /// The smallest and the largest share of a page that comes from its template; uniform between them. The Jaccard
    /// similarity of two pages with share p each is about p / (2 - p): 0.8 at p = 0.89.
    pub boilerplate: (f64, f64),
    /// The share of pages whose own content is the content of an earlier page with another number in it.
    pub near: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Pages {
    fn default() -> Self {
        Self { pages: 20_000, templates: 5, bytes: 6_000, boilerplate: (0.5, 0.95), near: 0.1, seed: 1 }
    }
}

impl Pages {
    /// The pages, in order.
    pub fn iter(&self) -> impl Iterator<Item = Document> {
        let prose = Prose::new(self.seed);
        (0..self.pages).map(move |number| self.page(&prose, number))
    }

    fn page(&self, prose: &Prose, number: usize) -> Document {
        let mut random = SplitMix64::new(mix64(self.seed) ^ number as u64);
        let is_near = number > 0 && random.next_f64() < self.near;
        let content = if is_near { random.below(number as u64) } else { number as u64 };
        let mut of_content = SplitMix64::new(mix64(self.seed ^ 0xb01) ^ content);
        let template = of_content.below(self.templates.max(1) as u64);
        let (least, greatest) = self.boilerplate;
        let share = least + (greatest - least) * of_content.next_f64();
        let of_template = (self.bytes as f64 * share) as usize;
        let own = self.bytes.saturating_sub(of_template);
        let head = prose.text(u64::MAX - 2 * template, of_template / 2);
        let foot = prose.text(u64::MAX - 2 * template - 1, of_template / 2);
        let body = prose.text(content, own);
        let text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Item {number} of site {template}</title></head>\n\
             <body><nav class=\"menu\">{}</nav>\n<main><p>{}</p><p>Item number {number}.</p></main>\n\
             <footer>{}</footer></body></html>\n",
            as_links(&head),
            body.replace("\n\n", "</p>\n<p>"),
            as_links(&foot),
        );
        let truth = match is_near {
            true => Truth::Edited { of: content as usize, similarity: 0.98 },
            false => Truth::Original,
        };
        Document { truth, ..Document::new(format!("page-{number}"), text) }
    }
}

/// Turns boilerplate into a menu: each sentence becomes a link.
fn as_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (number, sentence) in text.split(". ").enumerate() {
        out.push_str(&format!("<a href=\"/section/{number}\" class=\"link\">{sentence}</a>\n"));
    }
    out
}

/// `count` copies of one document of about `bytes` bytes. They differ in one number.
pub fn near_copies(count: usize, bytes: usize, seed: u64) -> impl Iterator<Item = Document> {
    let prose = Prose::new(seed);
    let (before, after) = (prose.text(0, bytes / 2), prose.text(1, bytes / 2));
    (0..count).map(move |number| Document {
        truth: match number {
            0 => Truth::Original,
            _ => Truth::Edited { of: 0, similarity: 0.95 },
        },
        ..Document::new(format!("copy-{number}"), format!("{before} Number {number}. {after}"))
    })
}

/// `count` documents of about `bytes` bytes that share a template and differ in the rest, with a Jaccard similarity
/// of about `similarity` to each other.
pub fn templated(count: usize, bytes: usize, similarity: f64, seed: u64) -> impl Iterator<Item = Document> {
    let prose = Prose::new(seed);
    // Two documents that share a part p have J = p / (2 - p).
    let part = 2.0 * similarity / (1.0 + similarity);
    let shared = (bytes as f64 * part) as usize;
    let template = prose.text(u64::MAX, shared);
    (0..count).map(move |number| {
        let own = prose.text(number as u64, bytes.saturating_sub(shared));
        Document::new(format!("templated-{number}"), format!("{template}\n\n{own}"))
    })
}

/// `count` pages of one template with `slots` slots, each filled with one of `values` words. No shingle is rare, and
/// only the shingles of the frame are in all pages. Between two slots the frame has `frame` words.
pub fn slotted(
    count: usize,
    slots: usize,
    values: usize,
    frame: usize,
    seed: u64,
) -> impl Iterator<Item = Document> {
    let word = move |kind: u64, number: u64| {
        let mut letters = mix64(mix64(seed ^ kind << 56) ^ number);
        (0..7)
            .map(|_| {
                let letter = b'a' + (letters % 26) as u8;
                letters /= 26;
                char::from(letter)
            })
            .collect::<String>()
    };
    (0..count).map(move |number| {
        let mut random = SplitMix64::new(mix64(seed ^ 0x510) ^ number as u64);
        let mut text = String::new();
        for slot in 0..slots as u64 {
            for at in 0..frame as u64 {
                text.push_str(&word(1, slot * frame as u64 + at));
                text.push(' ');
            }
            text.push_str(&word(2, slot * values as u64 + random.below(values as u64)));
            text.push(' ');
        }
        Document::new(format!("slotted-{number}"), text)
    })
}

/// `count` documents, each with `own` words of its own and a footer of `shared` words that is the same in all
/// documents.
pub fn with_footer(count: usize, own: usize, shared: usize, seed: u64) -> impl Iterator<Item = Document> {
    let prose = Prose::new(seed);
    let footer = words_of(&prose.text(u64::MAX, shared * 12), shared);
    (0..count).map(move |number| {
        let body = words_of(&prose.text(number as u64, own * 12), own);
        Document::new(format!("footed-{number}"), format!("{body} {footer}"))
    })
}

/// The first `count` words of a text.
fn words_of(text: &str, count: usize) -> String {
    text.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::shingling::Shingler;
    use lookalike::similarity::jaccard;

    fn similarities(documents: &[Document]) -> Vec<f64> {
        let sets: Vec<_> = documents.iter().map(|document| Shingler::default().set(&document.text)).collect();
        sets.windows(2).map(|pair| jaccard(&pair[0], &pair[1])).collect()
    }

    #[test]
    fn near_copies_are_similar_and_templated_documents_less_so() {
        let copies: Vec<_> = near_copies(50, 1_500, 1).collect();
        assert!(similarities(&copies).iter().all(|&s| (0.9..1.0).contains(&s)));
        for wanted in [0.5, 0.7] {
            let documents: Vec<_> = templated(50, 3_000, wanted, 1).collect();
            assert!(similarities(&documents).iter().all(|&s| (s - wanted).abs() < 0.05));
        }
    }

    #[test]
    fn pages_are_on_both_sides_of_the_threshold() {
        let pages: Vec<_> = Pages { pages: 300, templates: 2, ..Pages::default() }.iter().collect();
        let sets: Vec<_> = pages.iter().map(|page| Shingler::default().set(&page.text)).collect();
        let (mut above, mut between) = (0, 0);
        for (a, first) in sets.iter().enumerate() {
            for second in &sets[..a] {
                let similarity = jaccard(first, second);
                above += usize::from(similarity >= 0.8);
                between += usize::from((0.5..0.8).contains(&similarity));
            }
        }
        assert!(above > 30 && between > 300, "{above} above, {between} between");
        let near = pages.iter().filter(|page| page.truth != Truth::Original).count();
        assert!((10..70).contains(&near), "{near}");
    }
}
