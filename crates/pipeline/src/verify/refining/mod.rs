//! A connected set that does not fit in memory -> smaller ones.
//!
//! Documents that share half of their text share a band now and then. Among many of them that connects all, though hardly
//! any two are similar enough. A set that does not fit in memory must be compared piece by piece with itself,
//! which is quadratic; so it is looked at more closely before, in two ways, the second of which is for what the first leaves
//! together. Neither loses a similar pair.
//!
//! | way | who stays connected | good for |
//! |---|---|---|
//! | [rare shingles](rare) | documents that share a rare shingle, if their signatures allow it | pages with text of their own |
//! | [combinations](combined) | documents that are similar | pages of a template with values in slots |

mod bundled_file;
mod combined;
mod rare;

use super::packing::Connected;
use crate::Result;
use crate::candidates::forest::Forest;
use crate::limits::sorted::{Room, Sorted};
use crate::view::View;

/// A way to take a set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    RareShingles,
    Combinations,
}

/// The ways that the measure and the method allow, in the order in which they are tried.
pub(super) fn ways(view: View<'_>) -> &'static [Way] {
    let possible = view.recipe.has_rare_shingles();
    if possible { &[Way::RareShingles, Way::Combinations] } else { &[] }
}

/// The documents of a connected set by what is still connected of them: `documents` hands out the set, ascending. Nothing if
/// this is no way to take it apart.
pub(super) fn refine<S>(
    view: View<'_>,
    room: Room<'_>,
    way: Way,
    documents: impl Fn() -> S,
    forest: &mut Forest,
) -> Result<Option<Sorted<Connected>>>
where
    S: Iterator<Item = Result<Connected>> + Send,
{
    for (step, document) in documents().enumerate() {
        view.observer.go_on_at(step)?;
        forest.isolate(document?.number);
    }
    match way {
        Way::RareShingles => rare::connect(view, room, &documents, forest)?,
        Way::Combinations => {
            if !combined::connect(view, room, &documents, forest)? {
                return Ok(None);
            }
        }
    }
    let mut by_root = room.sorter(view.budget.sorting(), |it: &Connected| (it.root, it.number));
    for (step, document) in documents().enumerate() {
        view.observer.go_on_at(step)?;
        let document = document?;
        by_root.push(Connected { root: forest.root(document.number), ..document });
    }
    by_root.finish().map(Some)
}
