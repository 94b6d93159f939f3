//! `Shingler`: text -> shingles.

use super::arguments::{Text, in_chunks};
use crate::errors::{self, Raise};
use lookalike::shingling;
use lookalike::similarity;
use numpy::{IntoPyArray, PyArray1};
use pipeline::{NormalizeSettings, Settings};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Turns a text into its shingles: sequences of words or characters, as 64-bit hashes.
///
/// `shingles` is `"words:K"`, `"characters:K"` or `"stop-words:K"` (K words, beginning with an English stop word; `"stop-words-german:K"`, with one of another language). The text is
/// normalised first: `case` is `"fold"` or `"keep"`; `form` is a Unicode form, `"nfc"`, `"nfd"`, `"nfkc"`, `"nfkd"`,
/// or `"keep"`; `punctuation` is `"keep"` or `"drop"`; `whitespace` is `"collapse"`, `"remove"` or `"keep"`.
///
/// >>> from lookalike import Shingler
/// >>> shingler = Shingler("characters:5")
/// >>> shingler.jaccard("the dog which chased the cat", "the dog that chased the cat")
/// 0.46875
/// >>> Shingler("words:2").shingles("A rose is a rose")
/// ['a rose', 'rose is', 'is a', 'a rose']
#[pyclass(module = "lookalike", frozen, eq)]
#[derive(Clone)]
pub(crate) struct Shingler {
    shingles: String,
    normalize: NormalizeSettings,
    pub(super) inner: shingling::Shingler,
}

impl PartialEq for Shingler {
    fn eq(&self, other: &Self) -> bool {
        self.inner.settings() == other.inner.settings()
    }
}

impl Shingler {
    fn with(shingles: &str, normalize: NormalizeSettings) -> PyResult<Self> {
        let settings = Settings::default().with_shingles(shingles.into()).with_normalize(normalize.clone());
        Ok(Self { shingles: shingles.into(), normalize, inner: settings.shingler().or_raise()? })
    }

    /// The shingler for an argument: a `Shingler`, a str such as `"words:5"`, or `None` for the default.
    pub(super) fn from_argument(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match value {
            None => Self::with(&Settings::default().signature.shingles, NormalizeSettings::default()),
            Some(value) => match value.cast::<Self>() {
                Ok(shingler) => Ok(shingler.get().clone()),
                Err(_) => Self::with(&value.extract::<String>()?, NormalizeSettings::default()),
            },
        }
    }

    /// A description of everything that decides the shingles. Equal shinglers have equal descriptions.
    pub(super) fn description(&self) -> String {
        let mut described = self.canonical();
        for (name, choice) in self.choices() {
            described.push_str(&format!(" {name}={choice}"));
        }
        described
    }

    /// The shingler with this [`description`](Self::description). All words except the first may be left out.
    pub(super) fn described(description: &str) -> PyResult<Self> {
        let mut words = description.split(' ');
        let shingles = words.next().unwrap_or_default();
        let mut chosen = Self::usual();
        for word in words {
            let known = word.split_once('=').and_then(|(name, choice)| {
                chosen.iter_mut().find(|(known, _)| *known == name).map(|known| (known, choice))
            });
            let Some((known, choice)) = known else {
                return Err(errors::setting(format_args!("`{word}` is not a setting of a shingler")));
            };
            known.1 = choice;
        }
        let [case, form, punctuation, whitespace] = chosen.map(|(_, choice)| choice);
        Self::new(shingles, case, form, punctuation, whitespace)
    }

    /// The unit and the number in their standard form: `words:5`.
    fn canonical(&self) -> String {
        let unit = self.shingles.split(':').next().unwrap_or_default();
        format!("{unit}:{}", self.inner.settings().k)
    }

    /// The shingler as it is written in a `repr`.
    pub(super) fn written(&self) -> String {
        let mut written = format!("Shingler('{}'", self.shingles);
        let (chosen, usual) = (self.choices(), Self::usual());
        for ((name, chosen), (_, usual)) in chosen.into_iter().zip(usual) {
            if chosen != usual {
                written.push_str(&format!(", {name}='{chosen}'"));
            }
        }
        written + ")"
    }

    fn choices(&self) -> [(&'static str, &'static str); 4] {
        choices(&self.normalize)
    }

    fn usual() -> [(&'static str, &'static str); 4] {
        choices(&NormalizeSettings::default())
    }
}

fn choices(of: &NormalizeSettings) -> [(&'static str, &'static str); 4] {
    [
        ("case", of.case.as_str()),
        ("form", of.form.as_str()),
        ("punctuation", of.punctuation.as_str()),
        ("whitespace", of.whitespace.as_str()),
    ]
}

#[pymethods]
impl Shingler {
    #[new]
    #[pyo3(signature = (shingles="words:5", *, case="fold", form="nfc", punctuation="keep", whitespace="collapse"))]
    fn new(shingles: &str, case: &str, form: &str, punctuation: &str, whitespace: &str) -> PyResult<Self> {
        let normalize = NormalizeSettings {
            case: case.parse().map_err(|error| errors::setting(format_args!("case {error}")))?,
            form: form.parse().map_err(|error| errors::setting(format_args!("form {error}")))?,
            punctuation: punctuation
                .parse()
                .map_err(|error| errors::setting(format_args!("punctuation {error}")))?,
            whitespace: whitespace
                .parse()
                .map_err(|error| errors::setting(format_args!("whitespace {error}")))?,
        };
        Self::with(shingles, normalize)
    }

    /// The distinct shingles of a text, as hashes in ascending order.
    fn set<'py>(&self, py: Python<'py>, text: Text) -> Bound<'py, PyArray1<u64>> {
        py.detach(|| self.inner.set(text.as_ref()).to_vec()).into_pyarray(py)
    }

    /// The distinct shingles of a text and how often each occurs: (hashes, counts), in ascending order of the hashes.
    fn bag<'py>(
        &self,
        py: Python<'py>,
        text: Text,
    ) -> (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>) {
        let (hashes, counts): (Vec<u64>, Vec<u32>) =
            py.detach(|| self.inner.bag(text.as_ref()).as_slice().iter().copied().unzip());
        (hashes.into_pyarray(py), counts.into_pyarray(py))
    }

    /// The distinct shingles of each of several texts.
    fn sets<'py>(&self, py: Python<'py>, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut sets = Vec::new();
        in_chunks(
            texts,
            Text::at,
            |text| text.as_ref().len(),
            |chunk| sets.extend(chunk.iter().map(|text| self.inner.set(text.as_ref()).to_vec())),
        )?;
        PyList::new(py, sets.into_iter().map(|set| set.into_pyarray(py)))
    }

    /// The shingles of a text as readable strings, in order, with repeats.
    fn shingles(&self, py: Python<'_>, text: Text) -> Vec<String> {
        py.detach(|| self.inner.shingles(&String::from_utf8_lossy(text.as_ref())))
    }

    /// The exact Jaccard similarity of two texts: the shared shingles, divided by all shingles of both.
    fn jaccard(&self, py: Python<'_>, a: Text, b: Text) -> f64 {
        py.detach(|| similarity::jaccard(&self.inner.set(a.as_ref()), &self.inner.set(b.as_ref())))
    }

    /// The exact share of the shingles of `a` that are also in `b`.
    fn containment(&self, py: Python<'_>, a: Text, b: Text) -> f64 {
        py.detach(|| similarity::containment(&self.inner.set(a.as_ref()), &self.inner.set(b.as_ref())))
    }

    fn __repr__(&self) -> String {
        self.written()
    }

    fn __hash__(&self) -> u64 {
        lookalike::hashing::hash_bytes(self.description().as_bytes())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        for (name, choice) in self.choices() {
            keywords.set_item(name, choice)?;
        }
        Ok(((self.shingles.clone(),), keywords))
    }
}
