//! Lists of numbers that may grow very long: a bucket, or the copies of a text.
//!
//! A list is pages of about 256 ascending numbers, and every number of a page is below those of the next. So adding
//! the youngest document, the usual case, rewrites one page, and reading from the front gives the oldest first. A number
//! that comes between others rewrites one page too, which grows up to twice its size before the list is cut anew. The
//! head is stored under the key of the list, and knows which further pages there are; they are stored under the key
//! and their number. A key that was never seen costs one read, which a filter answers.
//!
//! The head has numbers as long as the list has. Further pages may be empty where all their documents were removed.

use crate::store::{Read, Space, Value};
use crate::values::{MOST_NUMBERS, PAGE_NUMBERS, Page, damaged};
use crate::writer::Transaction;
use crate::{Error, Result};

/// A list in a keyspace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<'k> {
    pub(crate) space: Space,
    pub(crate) key: &'k [u8],
}

impl List<'_> {
    fn page_key(&self, page: u32) -> Value {
        Value::from([self.key, &page.to_be_bytes()].concat())
    }

    fn decode(&self, key: &[u8], value: &Value, is_head: bool) -> Result<Page> {
        let page = Page::decode(value).filter(|page| page.is_head == is_head);
        page.ok_or_else(|| damaged(self.space, key, "it is no page of numbers"))
    }

    /// The head; `None` if the list is empty.
    pub(crate) fn head(&self, read: &dyn Read) -> Result<Option<Page>> {
        let Some(value) = read.get(self.space, self.key)? else { return Ok(None) };
        self.decode(self.key, &value, true).map(Some)
    }

    pub(crate) fn page(&self, read: &dyn Read, page: u32) -> Result<Page> {
        let key = self.page_key(page);
        let Some(value) = read.get(self.space, &key)? else {
            return Err(damaged(self.space, &key, "the page is missing"));
        };
        self.decode(&key, &value, false)
    }

    /// Appends up to `most` numbers, the smallest ones, to `numbers`. Returns false if there are more.
    pub(crate) fn read_into(&self, read: &dyn Read, most: usize, numbers: &mut Vec<u64>) -> Result<bool> {
        let Some(head) = self.head(read)? else { return Ok(true) };
        let end = numbers.len().saturating_add(most);
        numbers.extend(head.numbers);
        for page in head.further {
            if numbers.len() >= end {
                break;
            }
            numbers.extend(self.page(read, page)?.numbers);
            if numbers.len() >= end {
                // More pages follow only if they have numbers; the caller may stop here all the same.
                break;
            }
        }
        let is_whole = numbers.len() < end;
        numbers.truncate(end);
        Ok(is_whole)
    }

    /// The smallest number; `None` if the list is empty.
    pub(crate) fn first(&self, read: &dyn Read) -> Result<Option<u64>> {
        Ok(self.head(read)?.and_then(|head| head.numbers.first().copied()))
    }

    fn put(&self, writes: &mut Transaction<'_>, page: Option<u32>, value: &Page) {
        let key = page.map_or_else(|| Value::from(self.key), |page| self.page_key(page));
        writes.put(self.space, key, value.encode());
    }

    /// Adds a number. Returns true if the list was empty.
    pub(crate) fn add(&self, writes: &mut Transaction<'_>, number: u64) -> Result<bool> {
        let Some(mut head) = self.head(writes)? else {
            self.put(writes, None, &Page::of(number));
            return Ok(true);
        };
        let is_last = |page: &Page| page.numbers.last().is_none_or(|&last| last < number);
        if head.further.is_empty() && is_last(&head) && head.numbers.len() < PAGE_NUMBERS {
            head.numbers.push(number);
            self.put(writes, None, &head);
            return Ok(false);
        }
        if head.further.is_empty() {
            if is_last(&head) {
                return self.add_page(writes, head, number).map(|()| false);
            }
        } else {
            let last = head.further.end - 1;
            let mut page = self.page(writes, last)?;
            // An empty page says nothing about its place, so the pages before it are looked at.
            if !page.numbers.is_empty() && is_last(&page) {
                if page.numbers.len() >= PAGE_NUMBERS {
                    return self.add_page(writes, head, number).map(|()| false);
                }
                page.numbers.push(number);
                self.put(writes, Some(last), &page);
                return Ok(false);
            }
        }
        self.insert(writes, head, number)?;
        Ok(false)
    }

    /// Adds a number that comes between others: a copy takes the place of a document that is removed.
    fn insert(&self, writes: &mut Transaction<'_>, head: Page, number: u64) -> Result<()> {
        let (at, mut page) = match self.page_for(writes, &head, number)? {
            Some((at, page)) => (Some(at), page),
            None => (None, head),
        };
        let Err(place) = page.numbers.binary_search(&number) else { return Ok(()) };
        if page.numbers.len() == MOST_NUMBERS {
            return self.cut_anew(writes, number);
        }
        page.numbers.insert(place, number);
        self.put(writes, at, &page);
        Ok(())
    }

    /// Puts a number in the place of another one.
    pub(crate) fn replace(&self, writes: &mut Transaction<'_>, old: u64, new: u64) -> Result<()> {
        // Almost all lists are short, and are read and written once.
        if let Some(mut head) = self.head(writes)?.filter(|head| head.further.is_empty())
            && let Ok(place) = head.numbers.binary_search(&old)
        {
            head.numbers.remove(place);
            if let Err(place) = head.numbers.binary_search(&new) {
                head.numbers.insert(place, new);
            }
            self.put(writes, None, &head);
            return Ok(());
        }
        self.remove(writes, old)?;
        self.add(writes, new)?;
        Ok(())
    }

    fn add_page(&self, writes: &mut Transaction<'_>, mut head: Page, number: u64) -> Result<()> {
        let page = head.further.end;
        if head.further.is_empty() {
            head.further.start = page;
        }
        head.further.end = page.checked_add(1).ok_or_else(|| Error::Store {
            action: "add a page",
            cause: "the list has 4,294,967,295 pages".into(),
        })?;
        self.put(writes, None, &head);
        self.put(writes, Some(page), &Page::further(vec![number]));
        Ok(())
    }

    /// Removes a number. Returns false if it was not there.
    pub(crate) fn remove(&self, writes: &mut Transaction<'_>, number: u64) -> Result<bool> {
        let Some(mut head) = self.head(writes)? else { return Ok(false) };
        if let Ok(at) = head.numbers.binary_search(&number) {
            head.numbers.remove(at);
            self.put_head(writes, head)?;
            return Ok(true);
        }
        let Some((found, mut page)) = self.find(writes, &head, number)? else { return Ok(false) };
        let Ok(at) = page.numbers.binary_search(&number) else { return Ok(false) };
        page.numbers.remove(at);
        if page.numbers.is_empty() && (found == head.further.end - 1 || found == head.further.start) {
            writes.remove(self.space, self.page_key(found));
            let end = head.further.end;
            head.further = if found == end - 1 { head.further.start..end - 1 } else { found + 1..end };
            self.put_head(writes, head)?;
        } else {
            self.put(writes, Some(found), &page);
        }
        Ok(true)
    }

    /// Writes the head. If it has no number, that of the next page become its own; empty pages at both ends go.
    fn put_head(&self, writes: &mut Transaction<'_>, mut head: Page) -> Result<()> {
        while !head.further.is_empty() && head.numbers.is_empty() {
            head.numbers = self.page(writes, head.further.start)?.numbers;
            writes.remove(self.space, self.page_key(head.further.start));
            head.further.start += 1;
        }
        while !head.further.is_empty() && self.page(writes, head.further.end - 1)?.numbers.is_empty() {
            writes.remove(self.space, self.page_key(head.further.end - 1));
            head.further.end -= 1;
        }
        if head.further.is_empty() {
            head.further = 0..0;
        }
        if head.numbers.is_empty() {
            writes.remove(self.space, self.key);
        } else {
            self.put(writes, None, &head);
        }
        Ok(())
    }

    /// The page that has a number, if any has it.
    fn find(&self, read: &dyn Read, head: &Page, number: u64) -> Result<Option<(u32, Page)>> {
        let found = self.page_for(read, head, number)?;
        Ok(found.filter(|(_, page)| page.numbers.last().is_some_and(|&last| number <= last)))
    }

    /// The further page that a number belongs to: the last one that begins with it or with a smaller one. `None` for the head.
    /// Bisects the further pages.
    fn page_for(&self, read: &dyn Read, head: &Page, number: u64) -> Result<Option<(u32, Page)>> {
        let (mut low, mut high) = (head.further.start, head.further.end);
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            // Empty pages say nothing: the next one that has numbers stands for them.
            let mut at = middle;
            let mut page = self.page(read, at)?;
            while page.numbers.is_empty() && at + 1 < high {
                at += 1;
                page = self.page(read, at)?;
            }
            if page.numbers.first().is_some_and(|&first| first <= number) {
                found = Some((at, page));
                low = at + 1;
            } else {
                high = middle;
            }
        }
        Ok(found)
    }

    /// Adds a number to a list and writes all its pages anew, so that they have room again. It takes as many numbers that come
    /// between others as a page has to make this necessary.
    fn cut_anew(&self, writes: &mut Transaction<'_>, number: u64) -> Result<()> {
        let mut numbers = Vec::new();
        self.read_into(writes, usize::MAX / 2, &mut numbers)?;
        if let Some(head) = self.head(writes)? {
            head.further.for_each(|page| writes.remove(self.space, self.page_key(page)));
        }
        numbers.insert(numbers.partition_point(|&other| other < number), number);
        for (page, value) in pages_of(&numbers) {
            self.put(writes, page, &value);
        }
        Ok(())
    }
}

/// Cuts ascending numbers into pages: the head, then the further pages with their numbers.
pub(crate) fn pages_of(numbers: &[u64]) -> impl Iterator<Item = (Option<u32>, Page)> {
    let further = numbers.len().div_ceil(PAGE_NUMBERS).saturating_sub(1) as u32;
    numbers.chunks(PAGE_NUMBERS).enumerate().map(move |(at, numbers)| match at {
        0 => (None, Page { numbers: numbers.to_vec(), further: 0..further, is_head: true }),
        _ => (Some(at as u32 - 1), Page::further(numbers.to_vec())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::memory::MemoryStore;
    use crate::values::Counters;
    use crate::writer::Writer;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[derive(Debug, Clone)]
    enum Step {
        /// Adds a larger number, many times, and leaves gaps.
        Append(u64),
        /// Adds a range of numbers, which may lie between others.
        Fill(u64, u64),
        /// Removes a range of numbers, one after the other.
        Remove(u64, u64),
        /// Puts a number in the place of another one that is there.
        Replace(u64, u64),
    }

    fn steps() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1u64..700).prop_map(Step::Append),
            (0u64..6_000, 1u64..900).prop_map(|(from, count)| Step::Fill(from, count)),
            (0u64..6_000, 1u64..500).prop_map(|(from, count)| Step::Remove(from, count)),
            (0u64..6_000, 0u64..6_000).prop_map(|(old, new)| Step::Replace(old, new)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn a_list_is_a_set_of_numbers(steps in proptest::collection::vec(steps(), 1..20)) {
            let store = MemoryStore::default();
            let writer = Writer::new(Counters::default(), crate::folder::Acknowledged::nowhere());
            let list = List { space: Space::Buckets, key: b"123456789" };
            let mut expected: BTreeSet<u64> = BTreeSet::new();
            for step in steps {
                writer
                    .write(&store, |writes| {
                        let numbers = match step {
                            Step::Append(count) => {
                                let next = expected.last().map_or(0, |last| last + 1);
                                (next..next + 4 * count).step_by(4).collect()
                            }
                            Step::Fill(from, count) | Step::Remove(from, count) => {
                                (from..from + count).collect::<Vec<_>>()
                            }
                            Step::Replace(from, new) => {
                                // The one that is there from here on.
                                let Some(&old) = expected.range(from..).next() else { return Ok(()) };
                                expected.remove(&old);
                                expected.insert(new);
                                list.replace(writes, old, new)?;
                                Vec::new()
                            }
                        };
                        for number in numbers {
                            if matches!(step, Step::Remove(..)) {
                                assert_eq!(list.remove(writes, number)?, expected.remove(&number));
                            } else {
                                assert_eq!(list.add(writes, number)?, expected.is_empty());
                                expected.insert(number);
                            }
                        }
                        Ok(())
                    })
                    .unwrap();
                let mut numbers = Vec::new();
                list.read_into(&store, 100_000, &mut numbers).unwrap();
                prop_assert!(numbers.iter().eq(&expected));
                prop_assert_eq!(list.first(&store).unwrap(), expected.first().copied());
                let mut some = Vec::new();
                let is_whole = list.read_into(&store, 300, &mut some).unwrap();
                prop_assert!(some.iter().eq(expected.iter().take(300)));
                prop_assert_eq!(is_whole, expected.len() < 300);
                // No page is left behind.
                let pages = store.snapshot().unwrap().scan(Space::Buckets, &[]).count();
                let head = list.head(&store).unwrap();
                prop_assert_eq!(pages, head.map_or(0, |head| 1 + head.further.len()));
            }
        }
    }

    /// A copy that takes the place of a removed one lies between the others of a hot bucket: one or two pages are written,
    /// however many there are.
    #[test]
    fn a_number_between_others_rewrites_few_pages() {
        let store = MemoryStore::default();
        let writer = Writer::new(Counters::default(), crate::folder::Acknowledged::nowhere());
        let list = List { space: Space::Buckets, key: b"123456789" };
        let all = || -> Vec<_> {
            let snapshot = store.snapshot().unwrap();
            snapshot.scan(Space::Buckets, &[]).map(|entry| entry.unwrap()).collect()
        };
        let change = |work: &dyn Fn(&mut Transaction<'_>) -> Result<()>| {
            let before = all();
            writer.write(&store, work).unwrap();
            let after = all();
            after.iter().filter(|entry| !before.contains(entry)).count()
        };
        change(&|writes| (0..100 * 256).try_for_each(|number| list.add(writes, 10 * number).map(|_| ())));
        assert_eq!(all().len(), 100);
        let mut written = 0;
        for (old, new) in (0..2_000).map(|at| (10 * at, 10 * at + 128_005)) {
            let changed = change(&|writes| list.replace(writes, old, new));
            assert!(changed <= 3, "{changed} pages for {old} and {new}");
            written += changed;
        }
        assert!((2_000..5_000).contains(&written), "{written}");
        // Where all come into the same page, the list is cut anew now and then.
        let many: Vec<_> = (0..9).flat_map(|last| (0..256).map(move |at| 150_000 + 10 * at + last)).collect();
        let written: usize =
            many.iter().map(|&new| change(&|writes| list.add(writes, new).map(|_| ()))).sum();
        assert!(written < 12 * many.len(), "{written} pages for {} numbers", many.len());
        let mut numbers = Vec::new();
        list.read_into(&store, usize::MAX / 2, &mut numbers).unwrap();
        assert!(numbers.is_sorted_by(|a, b| a < b));
    }
}
