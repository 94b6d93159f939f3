//! Stop words: the small words that every sentence has, such as articles and prepositions.

mod lists;

use crate::error::{Error, Result};
use crate::normalization::{Normalization, UnicodeForm};
use std::collections::BTreeSet;

/// English function words, in lower case: articles, pronouns, prepositions, conjunctions, auxiliary verbs and a few
/// adverbs.
const ENGLISH: &str = "
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what when where why how
    am is are was were be been being do does did doing done have has had having
    will would shall should can could may might must ought cannot
    and or but nor so yet if because as until while although though unless than then
    of at by for with about against between into through during before after above below
    to from up down in out on off over under again upon within without per via
    here there all any both each either neither few more most much many other another some
    no not only own same too very just also ever never now once further
    don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't
    can't couldn't won't wouldn't shouldn't mustn't
    i'm you're he's she's it's we're they're i've you've we've they've i'll you'll we'll they'll
    that's there's what's who's
";

/// The name of the language whose words are here.
const ENGLISH_NAME: &str = "english";

/// The right single quotation mark, which is the preferred apostrophe in Unicode.
const TYPESET_APOSTROPHE: &str = "\u{2019}";

/// A set of stop words, which are compared with normalised words. Shingles can begin with stop words only, and the
/// terms of a document can leave stop words out.
///
/// A news page is prose among advertisements and navigation. Prose has many stop words, and the rest has few. So a
/// shingle of a stop word and the two words after it tends to come from the article (Theobald, Siddharth and Paepcke,
/// SpotSigs, 2008; MMDS section 3.8).
///
/// An apostrophe may be typed (`it's`) or typeset (`it’s`), and normalisation keeps the difference. Stop words match
/// both spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopWords {
    /// The words in all spellings.
    spellings: BTreeSet<String>,
    /// The number of words; different spellings count once.
    len: usize,
}

impl StopWords {
    /// The empty set.
    #[must_use]
    pub const fn none() -> Self {
        Self { spellings: BTreeSet::new(), len: 0 }
    }

    /// The usual function words of English, about 190.
    #[must_use]
    pub fn english() -> Self {
        Self::new(ENGLISH.split_whitespace())
    }

    /// The usual function words of a language, by its English name, as that of a [stemmer](crate::features::Stemming::language):
    /// `german`, `finnish`, `arabic`, ... They match words of any Unicode form, case-folded or not.
    pub fn language(name: &str) -> Result<Self> {
        if name == ENGLISH_NAME {
            return Ok(Self::english());
        }
        let Ok(at) = lists::LISTS.binary_search_by_key(&name, |list| list.0) else {
            let known: Vec<&str> = Self::languages().collect();
            return Err(Error::invalid("name", name, format!("a language, one of {}", known.join(", "))));
        };
        let mut words = Self::new(lists::LISTS[at].1.split_whitespace());
        for form in [UnicodeForm::Nfc, UnicodeForm::Nfd] {
            let normalization = Normalization::default().with_form(form);
            let spelled: Vec<String> =
                words.spellings.iter().map(|word| normalization.normalize(word)).collect();
            words.spellings.extend(spelled);
        }
        Ok(words)
    }

    /// The languages that have a list, by their English names, ascending.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        let (before, after) =
            lists::LISTS.split_at(lists::LISTS.partition_point(|(name, _)| *name < ENGLISH_NAME));
        before.iter().map(|list| list.0).chain([ENGLISH_NAME]).chain(after.iter().map(|list| list.0))
    }

    /// The set of these words. They must be spelled as they are after normalisation, so usually in lower case.
    #[must_use]
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let words: BTreeSet<String> =
            words.into_iter().map(|word| word.as_ref().replace(TYPESET_APOSTROPHE, "'")).collect();
        let (len, mut spellings) = (words.len(), words.clone());
        spellings.extend(words.iter().map(|word| word.replace('\'', TYPESET_APOSTROPHE)));
        Self { spellings, len }
    }

    /// True if this normalised word is a stop word.
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        self.spellings.contains(word)
    }

    /// The number of stop words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All words in all spellings.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &str> {
        self.spellings.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::hash_bytes;

    /// Adding or removing a word would change shingles and terms. The hash was computed with another program.
    #[test]
    fn the_english_words_are_fixed() {
        let sorted: BTreeSet<&str> = ENGLISH.split_whitespace().collect();
        assert_eq!((sorted.len(), StopWords::english().len()), (188, 188));
        let words = sorted.into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(hash_bytes(words.as_bytes()), 0xd0e1_d0f2_f883_4497);
    }

    #[test]
    fn every_language_with_a_stemmer_has_words() {
        // Other ways to stem, and not other languages.
        let others = ["dutch_porter", "earlymodernenglish", "lovins", "porter"];
        let stemmed = frostem::Algorithm::all().iter().map(|algorithm| algorithm.name());
        let mut stemmed: Vec<&str> = stemmed.filter(|name| !others.contains(name)).collect();
        stemmed.sort_unstable();
        assert_eq!(StopWords::languages().collect::<Vec<_>>(), stemmed);
        for name in StopWords::languages() {
            let words = StopWords::language(name).unwrap();
            assert!((30..=200).contains(&words.len()), "{name}: {}", words.len());
        }
        let wrong = StopWords::language("klingon").unwrap_err().to_string();
        assert!(wrong.contains("finnish, french, german"), "{wrong}");
    }

    #[test]
    fn words_match_in_every_form() {
        let german = StopWords::language("german").unwrap();
        assert!(german.contains("für") && german.contains("fu\u{308}r") && !german.contains("for"));
        let greek = StopWords::language("greek").unwrap();
        // Case folding has one sigma.
        assert!(greek.contains("της") && greek.contains("τησ"));
    }

    #[test]
    fn no_list_has_a_word_twice_or_a_capital() {
        for (name, list) in lists::LISTS {
            let words: Vec<&str> = list.split_whitespace().collect();
            let distinct: BTreeSet<&str> = words.iter().copied().collect();
            assert_eq!(words.len(), distinct.len(), "{name}");
            assert!(list.chars().all(|character| !character.is_uppercase()), "{name}");
        }
    }
}
