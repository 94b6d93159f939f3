//! Stories and headlines -> pages of news sites: the same story stands on several sites, each page in the frame of its site.

use super::{Document, Prose, Score, Truth};
use lookalike::hashing::SplitMix64;

/// Pages in frames. The same material and seed give the same pages.
#[derive(Debug, Clone)]
pub struct Framed {
    /// Number of sites.
    pub sites: usize,
    /// Number of stories that are on two or three sites.
    pub stories: usize,
    /// Number of pages in all; the others have a story of their own.
    pub pages: usize,
    /// Teasers that all pages of a site have.
    pub fixed: usize,
    /// Teasers that are drawn for each page.
    pub changing: usize,
    /// The share of the sentences of a story that each site leaves out.
    pub cut: f64,
    /// The share of the words that each site replaces.
    pub changed: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Framed {
    fn default() -> Self {
        Self {
            sites: 30,
            stories: 250,
            pages: 963,
            fixed: 40,
            changing: 15,
            cut: 0.15,
            changed: 0.03,
            seed: 7,
        }
    }
}

/// A page, and the number of its story. The domain of the document is its site, and its score a date.
#[derive(Debug, Clone, PartialEq)]
pub struct FramedPage {
    /// The page.
    pub document: Document,
    /// Pages of the same story have the same number.
    pub story: usize,
}

impl Framed {
    /// Pages of these articles and headlines. There must be an article for each story and for each page of its own.
    #[must_use]
    pub fn of(&self, articles: &[String], headlines: &[String]) -> Vec<FramedPage> {
        let mut random = SplitMix64::new(self.seed);
        let words: Vec<&str> = articles.iter().take(200).flat_map(|text| text.split_whitespace()).collect();
        let fixed: Vec<Vec<&str>> =
            (0..self.sites).map(|_| drawn(headlines, self.fixed, &mut random)).collect();
        let mut places: Vec<(usize, usize)> = Vec::new();
        for story in 0..self.stories {
            let mut on: Vec<usize> = Vec::new();
            let copies = 2 + random.below(2) as usize;
            while on.len() < copies.min(self.sites) {
                let site = random.below(self.sites as u64) as usize;
                if !on.contains(&site) {
                    on.push(site);
                }
            }
            places.extend(on.into_iter().map(|site| (story, site)));
        }
        let mut story = self.stories;
        while places.len() < self.pages {
            places.push((story, random.below(self.sites as u64) as usize));
            story += 1;
        }
        for at in (1..places.len()).rev() {
            places.swap(at, random.below(at as u64 + 1) as usize);
        }
        let page = |(number, (story, site)): (usize, (usize, usize))| {
            let body = self.printed(&articles[story % articles.len()], &words, &mut random);
            let changing = drawn(headlines, self.changing, &mut random);
            let (above, below) = changing.split_at(changing.len() / 2);
            let (head, foot) = fixed[site].split_at(fixed[site].len() / 2);
            let text = [head.join("\n"), above.join("\n"), body, below.join("\n"), foot.join("\n")];
            let day = 1 + (story * 7) % 27;
            let document = Document {
                score: Some(Score::Text(format!("2024-05-{day:02}"))),
                domain: Some(format!("site-{site:02}")),
                truth: Truth::Original,
                ..Document::new(format!("page-{number:03}"), text.join("\n"))
            };
            FramedPage { document, story }
        };
        places.into_iter().enumerate().map(page).collect()
    }

    /// The same of generated prose: stories of about `bytes` bytes.
    #[must_use]
    pub fn of_prose(&self, bytes: usize) -> Vec<FramedPage> {
        let prose = Prose::new(self.seed);
        let sentences = |text: &str| -> String {
            let words: Vec<&str> = text.split_whitespace().collect();
            words.chunks(12).map(|some| format!("{}. ", some.join(" "))).collect()
        };
        let articles: Vec<String> =
            (0..self.pages as u64).map(|number| sentences(&prose.text(number, bytes))).collect();
        let headlines: Vec<String> = (0..2_000).map(|number| prose.text(u64::MAX - number, 60)).collect();
        self.of(&articles, &headlines)
    }

    /// A story as one site prints it.
    fn printed(&self, story: &str, words: &[&str], random: &mut SplitMix64) -> String {
        let mut text = String::new();
        for sentence in story.split_inclusive(". ") {
            if random.next_f64() < self.cut {
                continue;
            }
            for word in sentence.split_whitespace() {
                let other = words[random.below(words.len() as u64) as usize];
                text.push_str(if random.next_f64() < self.changed { other } else { word });
                text.push(' ');
            }
        }
        text
    }
}

/// So many different headlines.
fn drawn<'h>(headlines: &'h [String], count: usize, random: &mut SplitMix64) -> Vec<&'h str> {
    let mut places: Vec<usize> = (0..headlines.len()).collect();
    let count = count.min(places.len());
    for at in 0..count {
        let other = at + random.below((places.len() - at) as u64) as usize;
        places.swap(at, other);
    }
    places[..count].iter().map(|&place| headlines[place].as_str()).collect()
}
