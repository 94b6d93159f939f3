//! Document numbers -> excerpts of their texts, which are read from the sources again.

use super::FinishedRun;
use crate::prepared::Prepared;
use crate::resume::work::Work;
use crate::seen::asked_for;
use crate::verify::reread::reread;
use crate::{Result, Silent};

/// The beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// The excerpt, as it is in the source.
    pub text: String,
    /// True if the text is longer than the excerpt.
    pub is_cut: bool,
}

impl Excerpt {
    /// The first `longest` bytes of a text, or a little less: an excerpt ends after a whole character, and after a
    /// whole word if possible.
    #[must_use]
    pub fn of(text: &str, longest: usize) -> Self {
        if text.len() <= longest {
            return Self { text: text.to_owned(), is_cut: false };
        }
        let end = (0..=longest).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        let beginning = &text[..end];
        let word_end = beginning.rfind(char::is_whitespace).filter(|&at| at > end / 2).unwrap_or(end);
        Self { text: text[..word_end].to_owned(), is_cut: true }
    }
}

/// What stands for the text of a document of an index.
const OF_INDEX: &str = "[a document of the index]";

impl FinishedRun {
    /// Excerpts of at most `longest` bytes of the texts of some documents, in the order of `numbers`. The text of a
    /// document of an index is not known.
    pub fn texts(&self, numbers: &[u64], longest: usize) -> Result<Vec<Excerpt>> {
        let job = self.job()?;
        let prepared = Prepared::new(&job)?;
        let mut ascending = numbers.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
        ascending.retain(|&number| asked_for(number).is_none());
        let mut texts: Vec<Excerpt> = Vec::with_capacity(ascending.len());
        let work = Work::temporary(&job.temp_folder())?;
        reread(
            prepared.view(&self.store, &work, &Silent),
            &ascending,
            |_| Vec::new(),
            |made: &mut Vec<Excerpt>, _, text, _| {
                made.push(Excerpt::of(&prepared.recipe.shown(text), longest));
                Ok(())
            },
            |_, made| {
                texts.extend(made);
                Ok(())
            },
        )?;
        let text = |number: &u64| match asked_for(*number) {
            Some(_) => Excerpt { text: OF_INDEX.to_owned(), is_cut: false },
            None => texts[ascending.partition_point(|other| other < number)].clone(),
        };
        Ok(numbers.iter().map(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_end_with_words_and_never_within_characters() {
        assert_eq!(Excerpt::of("one two", 7), Excerpt { text: "one two".into(), is_cut: false });
        assert_eq!(Excerpt::of("one two three", 9), Excerpt { text: "one two".into(), is_cut: true });
        assert_eq!(Excerpt::of("éééé", 5), Excerpt { text: "éé".into(), is_cut: true });
        assert_eq!(Excerpt::of("aaaaaaaa", 4), Excerpt { text: "aaaa".into(), is_cut: true });
    }
}
