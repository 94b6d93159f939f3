//! Words that say little about what a text is about.

use std::collections::HashSet;

use super::terms::fold;

/// English function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs and a few adverbs.
const ENGLISH: &str = "
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what when where why how
    am is are was were be been being do does did doing done have has had having
    will would shall should can could may might must ought
    and or but nor so yet if because as until while although though unless than then
    of at by for with about against between into through during before after above below
    to from up down in out on off over under again upon within without per via
    here there all any both each either neither few more most much many other another some
    no not only own same too very just also ever never now
    don't doesn't didn't isn't aren't wasn't weren't can't cannot couldn't won't wouldn't shouldn't
    i'm you're he's she's it's we're they're i've you've we've they've i'll you'll we'll they'll that's there's
";

/// The words that [`TermExtractor`](super::TermExtractor) leaves out. Compared after case folding, before
/// stemming.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopWords {
    words: HashSet<String>,
}

impl StopWords {
    /// No word is left out.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// About 150 English function words.
    #[must_use]
    pub fn english() -> Self {
        Self::new(ENGLISH.split_whitespace())
    }

    /// A list of the caller's.
    pub fn new<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { words: words.into_iter().map(|word| fold(word.as_ref())).collect() }
    }

    /// Whether this case-folded word is one of them.
    #[must_use]
    pub fn contains(&self, folded_word: &str) -> bool {
        self.words.contains(folded_word)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}
