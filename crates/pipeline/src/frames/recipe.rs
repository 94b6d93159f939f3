//! What a recipe knows of frames and dates: which elements are left out, and which documents may be compared.

use super::{Frame, LEAST_ITEMS, days, is_too_little, is_wanted};
use crate::kind::{Values, sets};
use crate::limits::memory::Ledger;
use crate::method::{Recipe, TextBuffers, UseOfSketches, within_hash};
use crate::settings::{Choice, not_allowed};
use crate::store::entries::Within;
use crate::{Error, Kind, Method, Result, SettingName, Settings, WrongSetting};
use corpus::Document;

impl Recipe {
    /// What is left out of every comparison, if it is known.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        self.frame.get()
    }

    /// Leaves these elements out from now on.
    pub(crate) fn use_frame(&self, frame: Frame) {
        assert!(self.frame.set(frame).is_ok(), "what is left out is learned once");
    }

    /// True if two documents may be compared, by their values of `within` and their times.
    #[inline]
    pub(crate) fn are_within(&self, a: Within, b: Within) -> bool {
        match self.window {
            None => a == b,
            Some(window) => days::are_near(a, b, window),
        }
    }

    /// What is stored of the values that decide which documents are compared; or what is wrong with the date of a document,
    /// as the end of a sentence.
    pub(crate) fn within_of(&self, document: &Document<'_>) -> std::result::Result<Within, String> {
        let within = document.within.as_ref().map_or([0; 2], |value| within_hash(value));
        let Some(field) = &self.fields.date else { return Ok(within) };
        let name = field.written();
        let Some(written) = &document.date else {
            let how = if document.absent.date { "missing" } else { "null" };
            return Err(format!("the field `{name}` is {how}, and dates are compared"));
        };
        let seconds = days::seconds_of(written).ok_or_else(|| {
            let shown: String = written.chars().take(40).collect();
            format!("the field `{name}` is not a date such as 2024-02-29 or 2024-02-29T13:05:00Z: {shown:?}")
        })?;
        Ok(days::with_time(within, seconds))
    }

    /// The site of a document and the hashes of its shingles with the fixed key, with repeats; `None` if it is compared by its
    /// content only.
    pub(crate) fn counted_hashes<'b>(
        &self,
        document: &Document<'_>,
        budget: &Ledger,
        buffers: &'b mut TextBuffers,
    ) -> Result<Option<(u64, &'b [u64])>> {
        let text = document.text;
        if self.is_no_text(text) || self.within_of(document).is_err() {
            return Ok(None);
        }
        self.check_fits(text, budget)?;
        buffers.enter(document);
        if let Some(values) = self.values.as_deref() {
            buffers.elements.clear();
            // What cannot be read is a bad record, and has no elements.
            let is_read = values.items(text, &mut buffers.elements).is_ok();
            return Ok(is_read.then_some((buffers.site, buffers.elements.as_slice())));
        }
        Ok(Some((buffers.site, self.shingler.hashes(text, &mut buffers.shingles))))
    }

    /// True if a text is too long to be compared by its elements, or is none.
    fn is_no_text(&self, text: &str) -> bool {
        text.len() as u64 > self.settings.files.max_text || text.contains('\0')
    }

    /// What two texts must have in common if they are compared by their contents only; `None` if this text is not.
    pub(crate) fn only_content(&self, text: &str, buffers: &mut TextBuffers) -> Result<Option<u128>> {
        if self.is_no_text(text) {
            return Ok(Some(self.content_hash(text, buffers)));
        }
        let is_little = self.has_little_left(text, buffers)?;
        Ok(is_little.then(|| self.content_on_site(text, buffers)))
    }

    /// The hash of the content of a text of which too little is left, and of its site: such texts are equal on one site only.
    pub(crate) fn content_on_site(&self, text: &str, buffers: &mut TextBuffers) -> u128 {
        self.content_hash(text, buffers) ^ u128::from(buffers.site)
    }

    /// Which shingles of a text, in order, are left out, or which items of a set, in the order of [`sets::items`]; empty if
    /// nothing is left out of any document.
    pub(crate) fn left_out(&self, text: &str, buffers: &mut TextBuffers) -> Vec<bool> {
        let Some(frame) = self.frame.get() else { return Vec::new() };
        let TextBuffers { fixed, site, .. } = buffers;
        if self.values.is_some() {
            // What cannot be read has no items.
            return sets::left_out(&self.settings, text, &|item| frame.has(item, *site)).unwrap_or_default();
        }
        self.shingler.hashes(text, fixed).iter().map(|&hash| frame.has(hash, *site)).collect()
    }

    /// True if elements of a text are left out, and too little remains.
    pub(crate) fn has_little_left(&self, text: &str, buffers: &mut TextBuffers) -> Result<bool> {
        let Some(frame) = self.frame.get() else { return Ok(false) };
        if let Some(values) = self.values.as_deref() {
            let (is_left_out, mut items) = (|item| frame.has(item, buffers.site), Vec::new());
            values.items(text, &mut items).map_err(Error::Invalid)?;
            return Ok(items.iter().any(|&item| is_left_out(item))
                && few_items(values, text, &is_left_out, &mut items)?);
        }
        let TextBuffers { fixed, site, .. } = buffers;
        let hashes = self.shingler.hashes(text, fixed);
        let rest = hashes.iter().filter(|&&hash| !frame.has(hash, *site)).count();
        Ok(is_too_little(hashes.len(), rest))
    }
}

/// True if fewer items of a set than a comparison needs are not left out. `items` is working memory.
pub(crate) fn few_items(
    values: &dyn Values,
    text: &str,
    is_left_out: &dyn Fn(u64) -> bool,
    items: &mut Vec<u64>,
) -> Result<bool> {
    items.clear();
    values.items(text, items).map_err(Error::Invalid)?;
    Ok(items.iter().filter(|&&item| !is_left_out(item)).count() < LEAST_ITEMS)
}

/// Returns an error if a frame cannot be left out, or dates compared, with these settings or for this use.
pub(crate) fn check_frames(settings: &Settings, use_of: UseOfSketches) -> Result<()> {
    let (common, site) = (settings.matching.common, &settings.matching.site_field);
    let choice = match (common, site, &settings.matching.within_days) {
        (None, None, None) => return Ok(()),
        (Some(common), ..) => Choice::new(SettingName::Common, common),
        (_, Some(site), _) => Choice::new(SettingName::SiteField, site),
        (.., Some(near)) => Choice::new(SettingName::WithinDays, near),
    };
    if common == Some(crate::Common::MoreThan(0)) {
        return Err(not_allowed(SettingName::Common, 0, "at least 1, or auto"));
    }
    if is_wanted(settings) && !matches!(settings.signature.kind, Kind::Text | Kind::Sets) {
        let needed = Choice::new(SettingName::Kind, Kind::Text);
        return Err(WrongSetting::Needs { choice, needed, instead: None }.into());
    }
    if is_wanted(settings) && settings.signature.method == Method::Simhash {
        let needed = Choice::new(SettingName::Method, Method::Minhash);
        return Err(WrongSetting::Needs { choice, needed, instead: None }.into());
    }
    if use_of == UseOfSketches::OneRun {
        return Ok(());
    }
    Err(WrongSetting::OneRunOnly { choice }.into())
}
