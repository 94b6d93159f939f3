//! Documents that often break programs.

use super::{Document, Score};

/// Edge cases: documents that are empty, without words, shorter than a shingle, with NUL, in scripts without spaces,
/// with one long word, with repeated text, and variants that are equal after normalisation. The id of each document
/// says what it is.
#[must_use]
pub fn edge_documents() -> Vec<Document> {
    let prose = super::Prose::new(99);
    let plain = prose.text(1, 700);
    let cjk =
        "自然语言处理是人工智能的一个重要方向它研究人与计算机之间用自然语言进行有效通信的各种理论和方法"
            .repeat(3);
    let thai = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีน".repeat(3);
    let mut documents: Vec<Document> = [
        ("empty", String::new()),
        ("empty-again", String::new()),
        ("blanks", " \t \n ".into()),
        ("punctuation", "... --- !!!".into()),
        ("other-punctuation", "?!".into()),
        ("one-word", "word".into()),
        ("one-word-capital", "Word".into()),
        ("one-word-stop", "word.".into()),
        ("four-words", "fewer words than five".into()),
        ("four-words-again", "Fewer  words than\tfive".into()),
        ("five-words", "exactly as many as five".into()),
        ("nul", format!("{}\0{}", prose.text(2, 300), prose.text(3, 300))),
        ("nul-again", format!("{}\0{}", prose.text(2, 300), prose.text(3, 300))),
        ("nul-similar", format!("{}\0 {} other", prose.text(2, 300), prose.text(3, 300))),
        ("chinese", cjk.clone()),
        ("chinese-similar", format!("{cjk}末尾")),
        ("chinese-other", "春眠不觉晓处处闻啼鸟夜来风雨声花落知多少".repeat(4)),
        ("thai", thai.clone()),
        ("thai-similar", format!("{thai}ครับ")),
        ("long-word", "a".repeat(20_000)),
        ("long-word-similar", "a".repeat(20_001)),
        ("repeated", "all work and no play makes a dull day. ".repeat(200)),
        ("repeated-more", "all work and no play makes a dull day. ".repeat(300)),
        ("combining", "cafe\u{301} cre\u{300}me bru\u{302}le\u{301}e pa\u{302}te\u{301} ro\u{302}ti".into()),
        ("composed", "café crème brûlée pâté rôti".into()),
        ("quotes", "he said \"no\\yes\" and\u{2028}left \u{1f600} \u{7f} at once".into()),
        ("plain", plain.clone()),
        ("plain-capitals", plain.to_uppercase()),
        ("plain-blanks", plain.replace(' ', " \n\t ")),
        ("plain-longer", format!("{plain} And one more.")),
    ]
    .into_iter()
    .map(|(id, text)| Document::new(id, text))
    .collect();
    for (number, document) in documents.iter_mut().enumerate() {
        document.score = (number % 3 > 0).then_some(Score::Number(number as f64 / 2.0));
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::normalization::Normalization;
    use lookalike::shingling::Shingler;

    fn text(id: &str) -> String {
        edge_documents().into_iter().find(|document| document.id == id).unwrap().text
    }

    #[test]
    fn variants_normalise_to_equal_text() {
        let normalize = |id| Normalization::default().normalize(&text(id));
        for (a, b) in [
            ("plain", "plain-capitals"),
            ("plain", "plain-blanks"),
            ("combining", "composed"),
            ("one-word", "one-word-capital"),
            ("blanks", "empty"),
        ] {
            assert_eq!(normalize(a), normalize(b));
        }
        assert_ne!(normalize("one-word"), normalize("one-word-stop"));
    }

    #[test]
    fn documents_without_words_have_no_shingle() {
        for id in ["empty", "blanks", "punctuation", "other-punctuation"] {
            assert!(Shingler::default().set(text(id)).is_empty(), "{id}");
        }
        assert_eq!(Shingler::default().set(text("four-words")).len(), 1);
    }
}
