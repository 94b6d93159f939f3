//! `lookalike evaluate`: an answer and the truth -> how good the answer is.

mod listed;
mod mistakes;
mod page;
mod texts;

use super::files::check_page;
use crate::arguments::EvaluateArguments;
use crate::failure::{Failure, Result};
use crate::output::{Evaluated, Printer};
use crate::settings::Layers;
use listed::{Listed, ListedMember, ListedPair};
use lookalike::evaluation::{self, Member, Point, Score, Truth};
use lookalike::{Pair, connected_components};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Runs the command.
pub(crate) fn run(arguments: &EvaluateArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let EvaluateArguments { found, truth, only_labelled, missed, wrong, .. } = arguments;
    let mut names = Names::default();
    let truth = Labelled::read(truth, &mut names, printer)?;
    let found = Found::read(found, &mut names, printer)?;
    let found = if *only_labelled { found.only(&truth.documents) } else { found };
    let outside = found.outside(&truth.documents);
    if outside > 0 {
        printer.note(&format!(
            "{outside} found documents are not in the truth, so their pairs count as wrong; --only-labelled leaves them out"
        ));
    }
    let unfound = truth.not_in(&found);
    if unfound > 0 && !*only_labelled {
        printer.note(&format!(
            "{unfound} documents of the truth are in no pair or cluster that was found, so their pairs count as missed; an id that no document has is among them"
        ));
    }
    let mistakes = mistakes::Mistakes { found: &found, truth: &truth, names: &names.ids };
    if *missed {
        return mistakes.print_missed(printer);
    }
    if *wrong {
        return mistakes.print_wrong(printer);
    }
    let points = found.curve(&truth.truth);
    let score =
        points.last().map_or(Score { truth: truth.truth.len(), ..Score::default() }, |point| point.score);
    let listed = |mistakes: u64| usize::try_from(mistakes).unwrap_or(usize::MAX).min(Evaluated::LISTED);
    let mut evaluated = Evaluated {
        texts: None,
        score,
        best: found.has_similarities().then(|| evaluation::best(&points)).flatten(),
        b_cubed: found.b_cubed(&truth, names.ids.len())?,
        // The search for mistakes goes through pairs, so it ends with the last one.
        wrong: mistakes.wrong().take(listed(score.wrong())).collect(),
        missed: mistakes.missed().take(listed(score.missed())).collect(),
        curve: if found.has_similarities() { points } else { Vec::new() },
    };
    if let Some(path) = &arguments.html {
        check_page(path)?;
    }
    evaluated.texts = texts::read(arguments, &evaluated, layers, printer)?;
    page::write(arguments, &evaluated, printer)?;
    printer.evaluated(&evaluated, arguments.html.is_none())
}

/// Numbers for ids, in the order in which they come.
#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<String, usize>,
    ids: Vec<String>,
}

impl Names {
    fn number(&mut self, id: &str) -> usize {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        self.numbers.insert(id.to_owned(), self.ids.len());
        self.ids.push(id.to_owned());
        self.ids.len() - 1
    }
}

/// The truth, and what it is about.
#[derive(Debug)]
struct Labelled {
    truth: Truth,
    /// Documents that the truth names, ascending.
    documents: Vec<usize>,
    /// The true pairs, if the truth is pairs; or else the documents of each group.
    pairs: Vec<(usize, usize)>,
    groups: BTreeMap<usize, Vec<usize>>,
}

impl Labelled {
    fn read(path: &Path, names: &mut Names, printer: &Printer) -> Result<Self> {
        let read = match listed::read(path)? {
            Listed::Pairs(pairs) => {
                let pairs = distinct_pairs(path, pairs, names, printer)?;
                let pairs: Vec<(usize, usize)> = pairs.iter().map(Pair::ids).collect();
                let mut documents: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
                documents.sort_unstable();
                documents.dedup();
                Self { truth: Truth::pairs(pairs.iter().copied()), documents, pairs, groups: BTreeMap::new() }
            }
            Listed::Groups(members) => {
                let members = distinct_members(path, members, names)?;
                let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
                let mut of_document = vec![None; names.ids.len()];
                for member in &members {
                    groups.entry(member.cluster).or_default().push(member.document);
                    of_document[member.document] = Some(member.cluster);
                }
                let mut documents: Vec<usize> = members.iter().map(|member| member.document).collect();
                documents.sort_unstable();
                Self { truth: Truth::groups(of_document), documents, pairs: Vec::new(), groups }
            }
        };
        match read.truth.is_empty() {
            true => Err(Failure::bad_input(format!(
                "{} has no pair of documents that belong together",
                path.display()
            ))
            .with_advice("give a file with the columns id_a and id_b, or id and group")),
            false => Ok(read),
        }
    }

    /// How many documents of the truth that belong together with others were not found with any.
    fn not_in(&self, found: &Found) -> usize {
        let found = found.documents();
        let grouped = self.groups.values().filter(|members| members.len() > 1).flatten();
        let mut paired: Vec<usize> =
            self.pairs.iter().flat_map(|(a, b)| [a, b]).chain(grouped).copied().collect();
        paired.sort_unstable();
        paired.dedup();
        paired.iter().filter(|document| found.binary_search(document).is_err()).count()
    }

    /// The group of each document: that of the truth, or what pairs connect. Documents that are alone have one of their own.
    fn group_of_each(&self, documents: usize) -> Result<Vec<usize>> {
        let connected = connected_components(documents, self.pairs.iter().copied());
        let mut group = connected.map_err(pipeline::Error::from)?.representatives().to_vec();
        for members in self.groups.values() {
            members.iter().for_each(|&member| group[member] = members[0]);
        }
        Ok(group)
    }
}

/// What was found.
#[derive(Debug)]
enum Found {
    Pairs(Vec<Pair>),
    Clusters(Vec<Member>),
}

impl Found {
    fn read(path: &Path, names: &mut Names, printer: &Printer) -> Result<Self> {
        Ok(match listed::read(path)? {
            Listed::Pairs(pairs) => Self::Pairs(distinct_pairs(path, pairs, names, printer)?),
            Listed::Groups(members) => Self::Clusters(distinct_members(path, members, names)?),
        })
    }

    fn documents(&self) -> Vec<usize> {
        let mut documents: Vec<usize> = match self {
            Self::Pairs(pairs) => pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect(),
            Self::Clusters(members) => members.iter().map(|member| member.document).collect(),
        };
        documents.sort_unstable();
        documents.dedup();
        documents
    }

    /// How many documents are not among these.
    fn outside(&self, documents: &[usize]) -> usize {
        self.documents().iter().filter(|document| documents.binary_search(document).is_err()).count()
    }

    /// What was found among these documents.
    fn only(mut self, documents: &[usize]) -> Self {
        let has = |document: usize| documents.binary_search(&document).is_ok();
        match &mut self {
            Self::Pairs(pairs) => pairs.retain(|pair| has(pair.a) && has(pair.b)),
            Self::Clusters(members) => members.retain(|member| has(member.document)),
        }
        self
    }

    /// True if similarities were found, and not only pairs.
    fn has_similarities(&self) -> bool {
        match self {
            Self::Pairs(pairs) => pairs.iter().any(|pair| pair.similarity != UNKNOWN),
            Self::Clusters(members) => {
                members.iter().any(|member| ![UNKNOWN, 1.0].contains(&member.similarity))
            }
        }
    }

    fn curve(&self, truth: &Truth) -> Vec<Point> {
        match self {
            Self::Pairs(pairs) => evaluation::curve(pairs, truth),
            Self::Clusters(members) => evaluation::cluster_curve(members, truth),
        }
    }

    /// B-cubed of clusters, over the documents of the truth and of the clusters; `None` for pairs.
    fn b_cubed(&self, truth: &Labelled, documents: usize) -> Result<Option<evaluation::BCubed>> {
        let Self::Clusters(members) = self else { return Ok(None) };
        let groups = truth.group_of_each(documents)?;
        let mut clusters: Vec<usize> = (documents..2 * documents).collect();
        members.iter().for_each(|member| clusters[member.document] = member.cluster);
        let mut judged = self.documents();
        judged.extend(&truth.documents);
        judged.sort_unstable();
        judged.dedup();
        Ok(evaluation::b_cubed(judged.into_iter().map(|document| (clusters[document], groups[document]))))
    }
}

/// The similarity of what has none.
const UNKNOWN: f64 = 0.0;

/// Pairs with numbers for ids. A pair that is listed again is left out.
fn distinct_pairs(
    path: &Path,
    listed: Vec<(u64, ListedPair)>,
    names: &mut Names,
    printer: &Printer,
) -> Result<Vec<Pair>> {
    let (mut pairs, mut seen) = (Vec::with_capacity(listed.len()), HashSet::new());
    let all = listed.len();
    for (line, ListedPair { a, b, similarity }) in listed {
        if a == b {
            return Err(Failure::bad_input(format!(
                "{}, line {line}: {a} is paired with itself",
                path.display()
            )));
        }
        let (a, b) = (names.number(&a), names.number(&b));
        if seen.insert((a.min(b), a.max(b))) {
            pairs.push(Pair { a, b, similarity: similarity.unwrap_or(UNKNOWN) });
        }
    }
    if pairs.len() < all {
        printer.note(&format!(
            "{}: {} pairs are listed again and count once",
            path.display(),
            all - pairs.len()
        ));
    }
    Ok(pairs)
}

/// Members with numbers for ids. Groups are numbered in the order in which they come.
fn distinct_members(path: &Path, listed: Vec<(u64, ListedMember)>, names: &mut Names) -> Result<Vec<Member>> {
    let mut members: Vec<Member> = Vec::with_capacity(listed.len());
    let (mut groups, mut cluster_of) = (HashMap::new(), HashMap::new());
    for (line, ListedMember { id, group, similarity }) in listed {
        let document = names.number(&id);
        let next = groups.len();
        let cluster = *groups.entry(group).or_insert(next);
        match cluster_of.insert(document, cluster) {
            None => members.push(Member { document, cluster, similarity: similarity.unwrap_or(UNKNOWN) }),
            Some(before) if before == cluster => {}
            Some(_) => {
                let path = path.display();
                return Err(Failure::bad_input(format!("{path}, line {line}: {id} is in two groups")));
            }
        }
    }
    Ok(members)
}
