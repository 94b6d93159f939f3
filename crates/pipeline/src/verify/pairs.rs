//! A connected set -> all verified pairs in it that are asked for.
//!
//! Only originals are compared; a pair of them stands for all pairs of their copies. So whether two originals are to be
//! compared depends on their copies too: two documents of `--against` are, if one of them has a copy in the corpus.
//! A set that does not fit is compared piece by piece, each with the earlier ones and then within itself.

use super::loading::{Loaded, Loader};
use super::packing::{Members, Packed, Series};
use super::{memory_for_index, solve};
use crate::Result;
use crate::limits::bits::Bits;
use crate::report::PairCounts;
use crate::solve::{Found, Role, Using, are_compared};
use crate::store::Number;
use crate::view::View;

/// Hands the pairs of one connected set to `visit`; see [`super::Task::Pairs`].
pub(super) fn run(
    view: View<'_>,
    packed: &Packed,
    series: &Series,
    loader: &mut Loader<'_>,
    shared: &Bits,
    counts: &mut PairCounts,
    visit: &mut dyn FnMut(Found),
) -> Result<()> {
    let View { recipe, observer, threads, .. } = view;
    let role = |number: Number| {
        let protected = view.is_protected(number);
        match protected && shared.contains(number) {
            true => Role::Both,
            false => Role::of(protected, recipe.settings.matching.against_only),
        }
    };
    let mut compare = |loaded: &Loaded| -> Result<()> {
        observer.go_on()?;
        let using = Using { threads, memory: memory_for_index(view, &loaded.chunk), observer };
        solve::pairs(&loaded.chunk, recipe, using, counts, visit)
    };
    for at in series.chunks.clone() {
        let members = packed.members(at)?;
        for earlier in series.chunks.start..at {
            let before = packed.members(earlier)?;
            for asking in [Role::Listed, Role::Asking, Role::Both] {
                let of = |members: &Members, wanted: &dyn Fn(Role) -> bool| -> Vec<Number> {
                    members.numbers.iter().copied().filter(|&number| wanted(role(number))).collect()
                };
                let here = of(&members, &|role| role == asking);
                let before = of(&before, &|role| are_compared(role, asking));
                if here.is_empty() || before.is_empty() {
                    continue;
                }
                // Each of the one piece with each of the other.
                let mut loaded = Loaded::default();
                loader.append(&mut loaded, earlier, &Members::of(before), false, |_| Role::Listed)?;
                loader.append(&mut loaded, at, &Members::of(here), false, |_| Role::Asking)?;
                compare(&loaded)?;
            }
        }
        let mut loaded = Loaded::default();
        loader.append(&mut loaded, at, &members, false, |_| Role::Both)?;
        let chunk = &mut loaded.chunk;
        chunk.roles = chunk.numbers.iter().map(|&number| role(number)).collect();
        compare(&loaded)?;
        observer.advanced(crate::Stage::Verify, members.numbers.len() as u64);
    }
    Ok(())
}
