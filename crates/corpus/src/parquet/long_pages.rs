//! A column of long uncompressed pages -> short pages with the same values.
//!
//! Some programs write a page only after a thousand rows, however long the rows are, so that a page, or the dictionary
//! of a column, has as many bytes as a thousand texts. The Parquet crate reads a page as a whole. For a thousand
//! articles this is 60 MB, in new memory each time, even if only one of them is wanted.
//!
//! In a column that is not compressed, this is not necessary. The values are in the file one after the other, each
//! behind its length:
//!
//! ```text
//! long page        levels | 5 hello | 3 abc | 7 another ...        dictionary  5 hello | 3 abc ...    page  0 1 0 ...
//!                              part 1               part 2                        read where they are, for each part
//! ```
//!
//! A long page is handed to the crate in parts, each as a page of its own: the levels of its rows, and their values in
//! the encoding `PLAIN`. A part that is skipped costs only the walk over its lengths. A page that is not long reaches
//! the crate unchanged. So does a page with a checksum, which covers the whole page.

use super::hybrid::{Hybrid, LevelRuns};
use super::input::{Body, Input};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

/// A part ends with the value that brings it to this many bytes.
const PART_BYTES: u64 = if cfg!(test) { 512 } else { 128 << 10 };

/// The largest number of rows in a part, for a page of very many nulls.
const PART_ROWS: usize = 8_192;

/// A dictionary is read value by value if its values have at least this many bytes on average. Shorter values cost
/// more to find than to read.
const DICTIONARY_VALUE: u64 = if cfg!(test) { 64 } else { 256 };

/// A page with more bytes than this is divided, however short its values are.
const LONG_PAGE: u64 = if cfg!(test) { 2 << 10 } else { 2 << 20 };

/// The lengths of values are read one by one if the values have at least this many bytes on average. Shorter values
/// are read with their lengths.
const LONG_VALUE: u64 = if cfg!(test) { 128 } else { 4 << 10 };

/// The pages of a column in one row group.
pub(super) fn pages(input: &Input, column: &ColumnChunkMetaData, rows: usize) -> Result<Box<dyn PageReader>> {
    if input.is_local_file() && can_be_divided(column) {
        return Ok(Box::new(LongPages::new(input, column, rows)?));
    }
    Ok(Box::new(SerializedPageReader::new(Arc::new(input.clone()), column, rows, None)?))
}

/// True if the values of a column are stored one after the other, each behind its length.
fn can_be_divided(column: &ColumnChunkMetaData) -> bool {
    let known = |encoding| {
        use Encoding::{PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY};
        matches!(encoding, PLAIN | PLAIN_DICTIONARY | RLE | RLE_DICTIONARY)
    };
    let description = column.column_descr();
    column.compression() == Compression::UNCOMPRESSED
        && column.column_type() == Type::BYTE_ARRAY
        && description.max_rep_level() == 0
        && (0..=i16::from(u8::MAX)).contains(&description.max_def_level())
        && column.encodings().all(known)
}

struct LongPages {
    /// Reads the pages. Of the body of a long page it reads only the beginning.
    inner: SerializedPageReader<Input>,
    input: Input,
    max_level: u8,
    /// Where the values of the dictionary are, if it is long.
    dictionary: Option<Vec<Place>>,
    /// The page that is handed out in parts.
    open: Option<OpenPage>,
    /// The next part, if it was looked at.
    next: Option<Part>,
    /// The next page, if it was looked at and is not handed out in parts.
    ready: Option<Page>,
}

/// A value with its length before it: where it begins in the file, and how many bytes both take.
#[derive(Debug, Clone, Copy)]
struct Place {
    begin: u64,
    bytes: u64,
}

/// A long page of which some rows were handed out.
struct OpenPage {
    rows_left: usize,
    /// `None` if no value of the column can be null.
    levels: Option<Hybrid>,
    values: Values,
}

/// The values of a long page that were not handed out.
enum Values {
    Plain(Lengths),
    Dictionary(Hybrid),
}

/// Some rows of a long page.
#[derive(Default)]
struct Part {
    rows: usize,
    levels: LevelRuns,
    /// Where the values are. Values that follow each other in the file are one place.
    places: Vec<Place>,
    bytes: u64,
}

impl LongPages {
    fn new(input: &Input, column: &ColumnChunkMetaData, rows: usize) -> Result<Self> {
        let input = input.dividing();
        let inner = SerializedPageReader::new(Arc::new(input.clone()), column, rows, None)?;
        let max_level = u8::try_from(column.column_descr().max_def_level())
            .map_err(|_| damage("its values are nested too deeply"))?;
        Ok(Self { inner, input, max_level, dictionary: None, open: None, next: None, ready: None })
    }

    /// Opens the next page. Returns it if it can be handed out as it is; otherwise the open page is set, or, at the
    /// end of the column, is not.
    fn open_page(&mut self) -> Result<Option<Page>> {
        loop {
            let page = self.inner.get_next_page()?;
            let rest = self.input.take_rest();
            let Some(page) = page else { return Ok(None) };
            match (page, rest) {
                (Page::DictionaryPage { num_values, .. }, Some(body))
                    if self.is_worth_dividing(&body, num_values)
                        && average(&body, num_values) >= DICTIONARY_VALUE =>
                {
                    self.dictionary = Some(self.dictionary_of(&body, num_values)?);
                }
                (page, rest) => {
                    let in_parts = match page.encoding() {
                        _ if page.is_dictionary_page() => false,
                        Encoding::PLAIN => {
                            rest.is_some_and(|body| self.is_worth_dividing(&body, page.num_values()))
                        }
                        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => self.dictionary.is_some(),
                        _ => false,
                    };
                    if !in_parts {
                        return self.whole(page, rest).map(Some);
                    }
                    self.open = Some(self.begin(page, rest)?);
                    return Ok(None);
                }
            }
        }
    }

    /// True if a body is better read in parts: its values are long, or the memory does not allow it as a whole. Short
    /// values are read quicker than they are found.
    fn is_worth_dividing(&self, body: &Body, values: u32) -> bool {
        average(body, values) >= LONG_VALUE || body.bytes() > LONG_PAGE || !self.input.allows(body)
    }

    /// The places of the values of a dictionary.
    fn dictionary_of(&self, body: &Body, values: u32) -> Result<Vec<Place>> {
        let count = u64::from(values);
        self.input.check_dictionary(count.saturating_mul(size_of::<Place>() as u64))?;
        let mut lengths = Lengths::new(self.input.clone(), body.begin, body.end, count);
        (0..values).map(|_| lengths.next()).collect()
    }

    /// A page with its whole body.
    fn whole(&self, page: Page, rest: Option<Body>) -> Result<Page> {
        let Some(body) = rest else { return Ok(page) };
        let buf = self.input.whole_body(&body)?;
        Ok(match page {
            Page::DictionaryPage { num_values, encoding, is_sorted, .. } => {
                Page::DictionaryPage { buf, num_values, encoding, is_sorted }
            }
            Page::DataPage {
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics,
                ..
            } => Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics,
            },
            Page::DataPageV2 {
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
                ..
            } => Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            },
        })
    }

    /// Begins to hand out a page in parts.
    fn begin(&self, page: Page, rest: Option<Body>) -> Result<OpenPage> {
        let page_rows = page.num_values() as usize;
        let is_plain = page.encoding() == Encoding::PLAIN;
        // The beginning of a long body is enough for the levels, unless there are very many rows.
        let enough = |levels_end: usize, buf: Bytes| match &rest {
            Some(body) if !is_plain || levels_end > buf.len() => self.input.whole_body(body),
            _ => Ok(buf),
        };
        let (buf, levels) = match page {
            Page::DataPage { buf, def_level_encoding, .. } => {
                let levels = match self.max_level {
                    0 => 0..0,
                    _ if def_level_encoding != Encoding::RLE => {
                        return Err(damage("its levels have an encoding that is no longer used"));
                    }
                    _ => {
                        let length =
                            buf.first_chunk().ok_or_else(|| damage("a page ends before its levels"))?;
                        4..(u32::from_le_bytes(*length) as usize).saturating_add(4)
                    }
                };
                (enough(levels.end, buf)?, levels)
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let begin = rep_levels_byte_len as usize;
                let levels = begin..begin.saturating_add(def_levels_byte_len as usize);
                (enough(levels.end, buf)?, levels)
            }
            Page::DictionaryPage { .. } => return Err(damage("it has several dictionaries")),
        };
        if levels.end > buf.len() {
            return Err(damage("a page ends in its levels"));
        }
        let width = u8::BITS - self.max_level.leading_zeros();
        let levels_read = (self.max_level > 0)
            .then(|| {
                Hybrid::new(buf.slice(levels.clone()), width).ok_or_else(|| damage("its levels are too wide"))
            })
            .transpose()?;
        let values = if is_plain {
            let body = rest.ok_or_else(|| damage("a page has no values"))?;
            let begin = body.begin + levels.end as u64;
            Values::Plain(Lengths::new(self.input.clone(), begin, body.end, page_rows as u64))
        } else {
            let indices = buf.slice(levels.end..);
            let width = indices.first().copied().unwrap_or(0);
            let indices = indices.slice(indices.len().min(1)..);
            let wide = || damage("the numbers of its dictionary values are too wide");
            Values::Dictionary(Hybrid::new(indices, width.into()).ok_or_else(wide)?)
        };
        Ok(OpenPage { rows_left: page_rows, levels: levels_read, values })
    }

    /// The next part of the open page. `None` if no page is open, or if all its rows were handed out.
    fn next_part(&mut self) -> Result<Option<Part>> {
        if let Some(part) = self.next.take() {
            return Ok(Some(part));
        }
        let Some(page) = &mut self.open else { return Ok(None) };
        let mut part = Part::default();
        while page.rows_left > 0 && part.rows < PART_ROWS && part.bytes < PART_BYTES {
            page.rows_left -= 1;
            part.rows += 1;
            if let Some(levels) = &mut page.levels {
                let level = levels.next().ok_or_else(|| damage("a page has too few levels"))?;
                let level =
                    u8::try_from(level).map_err(|_| damage("a page has a level that does not exist"))?;
                part.levels.push(level);
                if level != self.max_level {
                    continue;
                }
            }
            let place = match &mut page.values {
                Values::Plain(lengths) => lengths.next()?,
                Values::Dictionary(numbers) => {
                    let number = numbers.next().ok_or_else(|| damage("a page has too few values"))?;
                    let place = self.dictionary.as_ref().and_then(|places| places.get(number as usize));
                    *place.ok_or_else(|| damage("a page has a value that is not in its dictionary"))?
                }
            };
            part.push(place);
        }
        if part.rows == 0 {
            self.open = None;
            return Ok(None);
        }
        Ok(Some(part))
    }

    /// A part as a page.
    fn page_of(&self, part: Part) -> Result<Page> {
        let levels = if self.max_level > 0 { part.levels.finish() } else { Vec::new() };
        let room = usize::try_from(part.bytes).map_err(|_| damage("a value is too long"))?;
        let mut buf = Vec::with_capacity(4 + levels.len() + room);
        if self.max_level > 0 {
            buf.extend((levels.len() as u32).to_le_bytes());
            buf.extend(levels);
        }
        for place in part.places {
            self.input.append(place.begin, place.bytes, &mut buf)?;
        }
        Ok(Page::DataPage {
            buf: buf.into(),
            num_values: part.rows as u32,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })
    }
}

/// The average number of bytes per value in the body of a page.
fn average(body: &Body, values: u32) -> u64 {
    body.bytes() / u64::from(values.max(1))
}

impl Part {
    fn push(&mut self, place: Place) {
        self.bytes += place.bytes;
        match self.places.last_mut() {
            Some(last) if last.begin + last.bytes == place.begin => last.bytes += place.bytes,
            _ => self.places.push(place),
        }
    }
}

impl PageReader for LongPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        if let Some(page) = self.ready.take() {
            return Ok(Some(page));
        }
        loop {
            if let Some(part) = self.next_part()? {
                return self.page_of(part).map(Some);
            }
            if let Some(page) = self.open_page()? {
                return Ok(Some(page));
            }
            if self.open.is_none() {
                return Ok(None);
            }
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        loop {
            if let Some(page) = &self.ready {
                let rows = (!page.is_dictionary_page()).then_some(page.num_values() as usize);
                return Ok(Some(PageMetadata {
                    num_rows: rows,
                    num_levels: rows,
                    is_dict: page.is_dictionary_page(),
                }));
            }
            if let Some(part) = self.next_part()? {
                let rows = Some(part.rows);
                self.next = Some(part);
                return Ok(Some(PageMetadata { num_rows: rows, num_levels: rows, is_dict: false }));
            }
            match self.inner.peek_next_page()? {
                // The crate expects the dictionary next. A long dictionary is never handed out, so it is opened here.
                Some(next) if next.is_dict => self.ready = self.open_page()?,
                next => return Ok(next),
            }
        }
    }

    fn skip_next_page(&mut self) -> Result<()> {
        if self.ready.take().is_some() || self.next_part()?.is_some() {
            return Ok(());
        }
        self.inner.skip_next_page()
    }
}

impl Iterator for LongPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// The length in bytes of the longest value in the dictionary of a column; 0 if the column has no dictionary.
///
/// Damage is not reported here, but later, when the column is read.
pub(super) fn longest_in_dictionary(input: &Input, column: &ColumnChunkMetaData, rows: i64) -> Result<u64> {
    let divides = input.is_local_file() && can_be_divided(column);
    let input = if divides { input.dividing() } else { input.clone() };
    let rows = usize::try_from(rows).unwrap_or(0);
    let mut pages = SerializedPageReader::new(Arc::new(input.clone()), column, rows, None)?;
    let page = pages.get_next_page()?;
    let Some(Page::DictionaryPage { buf, num_values, .. }) = page else { return Ok(0) };
    if let Some(body) = input.take_rest() {
        let mut lengths = Lengths::new(input, body.begin, body.end, u64::from(num_values));
        let mut longest = 0;
        while let Some(length) = lengths.next_length()? {
            longest = longest.max(length);
        }
        return Ok(longest);
    }
    let (mut rest, mut longest) = (&buf[..], 0);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(u64::from(length));
        rest = after.get(length as usize..).unwrap_or_default();
    }
    Ok(longest)
}

/// Goes from value to value by their lengths.
struct Lengths {
    input: Input,
    at: u64,
    end: u64,
    /// Some bytes of the file, and where they begin. It is short if values are long, because nothing but their lengths
    /// is read.
    window: Vec<u8>,
    window_begin: u64,
    window_bytes: u64,
}

impl Lengths {
    fn new(input: Input, begin: u64, end: u64, values: u64) -> Self {
        let is_long = end.saturating_sub(begin) / values.max(1) >= LONG_VALUE;
        let window_bytes = if is_long { 4 } else { 64 << 10 };
        Self { input, at: begin, end, window: Vec::new(), window_begin: begin, window_bytes }
    }

    /// The length of the next value. `None` if the bytes end before the value does.
    fn next_length(&mut self) -> Result<Option<u64>> {
        let left = self.end.saturating_sub(self.at);
        if left < 4 {
            return Ok(None);
        }
        // The position only grows, so it is never before the window.
        if self.at + 4 > self.window_begin + self.window.len() as u64 {
            self.window.clear();
            self.window_begin = self.at;
            self.input.append(self.at, self.window_bytes.min(left), &mut self.window)?;
        }
        let offset = (self.at - self.window_begin) as usize;
        let Some(length) = self.window[offset..].first_chunk() else { return Ok(None) };
        let length = u64::from(u32::from_le_bytes(*length));
        if length > left - 4 {
            return Ok(None);
        }
        self.at += 4 + length;
        Ok(Some(length))
    }

    /// The place of the next value.
    fn next(&mut self) -> Result<Place> {
        let begin = self.at;
        let length = self.next_length()?.ok_or_else(|| damage("a page ends in a value"))?;
        self.input.check_value(length)?;
        Ok(Place { begin, bytes: 4 + length })
    }
}

fn damage(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}
