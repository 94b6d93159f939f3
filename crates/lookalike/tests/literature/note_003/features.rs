//! Slides "LSH: FINDING DUPLICATE PAGES ON THE WEB": the features of a page.

use lookalike::features::{
    DocumentFrequencies, DocumentVector, DocumentVectorBuilder, InverseDocumentFrequency, Namespace,
    TermConfig, TermExtractor, TermFrequency, TfIdf,
};
use lookalike::hashing::Key;
use lookalike::shingling::{ShingleBuffer, Shingler, shingle_hash};

const PAGES: [&str; 3] =
    ["The ferret is going.", "FERRETS go to the park", "The park, the whole Park, is closed"];

fn extractor() -> TermExtractor {
    TermExtractor::new(TermConfig::default()).unwrap()
}

fn weight(vector: &DocumentVector, namespace: Namespace<'_>, name: &str) -> f64 {
    let wanted = namespace.feature(name);
    vector.entries().iter().find(|&&(feature, _)| feature == wanted).map_or(0.0, |&(_, weight)| weight)
}

/// "Document vector from page content": case-folding, stop-word removal, stemming, term frequencies, and each term
/// weighted by its inverse document frequency, here tf ln(N / df).
#[test]
fn a_document_vector_is_folded_stopped_stemmed_counted_and_weighted() {
    let terms = PAGES.map(|page| extractor().terms(page));
    assert_eq!(terms[0], ["ferret", "go"]);
    assert_eq!(terms[1], ["ferret", "go", "park"]);
    assert_eq!(terms[2], ["park", "whole", "park", "close"]);

    let bags = PAGES.map(|page| extractor().extract(page));
    let park = Namespace::Term.feature("park");
    assert!(bags[2].as_slice().contains(&(park, 2)));

    let mut frequencies = DocumentFrequencies::new();
    bags.iter().for_each(|bag| frequencies.add(bag));
    assert_eq!((frequencies.documents(), frequencies.get(park)), (3, 2));

    let textbook = TfIdf::default().with_tf(TermFrequency::Raw).with_idf(InverseDocumentFrequency::Plain);
    let mut builder = DocumentVectorBuilder::new();
    builder.add_bag(&bags[2], |term, count| frequencies.weight(textbook, term, count)).unwrap();
    let vector = builder.build().unwrap();
    assert_eq!(vector.len(), 3);
    assert!((weight(&vector, Namespace::Term, "park") - 2.0 * 1.5f64.ln()).abs() < 1e-12);
    assert!((weight(&vector, Namespace::Term, "close") - 3f64.ln()).abs() < 1e-12);
    assert!((weight(&vector, Namespace::Term, "whole") - 3f64.ln()).abs() < 1e-12);
}

/// "Shingles from page content": the hash of k consecutive words, from the words' hashes.
#[test]
fn a_shingle_is_the_hash_of_k_consecutive_words() {
    let words =
        ["a", "document", "is", "a", "sequence", "of", "words"].map(|word| Key::FIXED.token(word.as_bytes()));
    let expected: Vec<u64> = words.windows(3).map(shingle_hash).collect();
    let shingler = Shingler::words(3).unwrap();
    assert_eq!(
        shingler.hashes("A document is a sequence of words.", &mut ShingleBuffer::default()),
        expected
    );
}

/// "Connectivity information": pages with several incoming links in common are similar, whatever their text.
#[test]
fn pages_with_incoming_links_in_common_are_similar() {
    let linked_from = |pages: &[&str]| {
        DocumentVector::from_weights(pages.iter().map(|page| (Namespace::InLink.feature(page), 1.0))).unwrap()
    };
    let (first, second) = (linked_from(&["a", "b", "c"]), linked_from(&["b", "c", "d"]));
    assert_eq!(first.weighted_jaccard(&second), 2.0 / 4.0);
    assert!((first.cosine(&second) - 2.0 / 3.0).abs() < 1e-12);
    // A link from a page is not a word of that name.
    let word = DocumentVector::from_weights([(Namespace::Term.feature("b"), 1.0)]).unwrap();
    assert_eq!(first.cosine(&word), 0.0);
}

/// "Anchor text and anchor window": the words of the anchor text "are folded into the document-vector itself".
#[test]
fn the_words_of_the_anchor_text_are_folded_into_the_vector() {
    let mut builder = DocumentVectorBuilder::new();
    builder.add_bag(&extractor().extract(PAGES[0]), |_, count| f64::from(count)).unwrap();
    builder.add_bag(&extractor().extract("a page about ferrets"), |_, count| f64::from(count)).unwrap();
    let vector = builder.build().unwrap();
    assert_eq!(weight(&vector, Namespace::Term, "ferret"), 2.0);
    assert_eq!(weight(&vector, Namespace::Term, "page"), 1.0);
}

/// "Phrases": a vector "that includes phrases as terms".
#[test]
fn phrases_are_terms_of_the_vector() {
    let config = TermConfig::default().with_phrase_length(2);
    let bag = TermExtractor::new(config).unwrap().extract(PAGES[1]);
    let mut builder = DocumentVectorBuilder::new();
    builder.add_bag(&bag, |_, count| f64::from(count)).unwrap();
    let vector = builder.build().unwrap();
    assert_eq!(vector.len(), 5);
    assert_eq!(weight(&vector, Namespace::Phrase, "ferret go"), 1.0);
    assert_eq!(weight(&vector, Namespace::Phrase, "go park"), 1.0);
    assert_eq!(weight(&vector, Namespace::Phrase, "ferret park"), 0.0);
}

/// The second slide of this title has another kind of shingle, "a histogram of the words found within that portion of
/// the page": a bag of words, equal for portions that have the same words in any order.
#[test]
fn portions_with_the_same_words_have_the_same_histogram() {
    let histogram = |portion: &str| Shingler::words(1).unwrap().bag(portion);
    assert_eq!(histogram("the web, the whole web"), histogram("Whole the web the Web"));
    assert_ne!(histogram("the web, the whole web"), histogram("the whole web"));
}
