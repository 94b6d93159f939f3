//! Banding: b bands of r rows, the S-curve, and how to choose b and r.
//!
//! Shows the slides "C1, C2 are 80% Similar", "C1, C2 are 30% Similar", "Example: b = 20; r = 5", "Picking r and b: The
//! S-curve" and "LSH Involves a Tradeoff" of note 001, and the choice of b in note 002, section 6.2.
//!
//! `cargo run -p lookalike --example banding`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::banding::plan::{self, Plan};
use lookalike::banding::{Banding, SCurve};

/// Draws the curve and the two areas of error around the threshold.
fn draw(curve: &SCurve, threshold: f64) {
    const WIDTH: usize = 60;
    for tenth in (0..10).rev() {
        let line: String = (0..WIDTH)
            .map(|column| {
                let similarity = (column as f64 + 0.5) / WIDTH as f64;
                let is_below = curve.probability(similarity) > f64::from(tenth) / 10.0 + 0.05;
                match (is_below, similarity < threshold) {
                    (true, true) => '+',
                    (true, false) => '#',
                    (false, true) => ' ',
                    (false, false) => '-',
                }
            })
            .collect();
        println!("{:>5.1} |{line}", f64::from(tenth + 1) / 10.0);
    }
    println!("      +{}", "-".repeat(WIDTH));
    println!("       0{:>30}{:>30}", "0.5", "1");
}

fn main() -> lookalike::Result<()> {
    let notes = SCurve::new(Banding::new(20, 5)?);
    println!("20 bands of 5 rows, threshold 0.8: # found, + false positives, - false negatives\n");
    draw(&notes, 0.8);
    println!("\n10 bands of 5 rows, threshold 0.6\n");
    draw(&SCurve::new(Banding::new(10, 5)?), 0.6);

    println!("\n  s   1 - (1 - s^5)^20   missed       with 15 bands");
    let fewer = SCurve::new(Banding::new(15, 5)?);
    for tenth in 2..=8 {
        let s = f64::from(tenth) / 10.0;
        let (found, missed) = (notes.probability(s), notes.miss_probability(s));
        println!("{s:>4.1} {found:>17.4}   {missed:<10.5} {:>8.4}", fewer.probability(s));
    }
    println!("\nthe curve rises at (1/b)^(1/r) = {:.3}", notes.approximate_threshold());
    println!("half of the pairs are found at   {:.3}", notes.similarity_at(0.5)?);
    println!("it is steepest at                {:.3}", notes.steepest());

    println!("\nWhich bands for 128 hashes and threshold 0.8?\n");
    println!(
        "{:<36} {:>7} {:>8} {:>11} {:>7} {:>7}",
        "rule", "b x r", "recall", "candidates", "FP area", "FN area"
    );
    for (rule, plan) in [
        ("the notes': (1/b)^(b/n) near t", plan::by_notes_rule(128, 0.8)?),
        ("least areas of error", plan::by_areas(128, 0.8, 0.5, 0.5)?),
        ("a popular choice", Plan::of(&SCurve::new(Banding::new(16, 8)?), 0.8)?),
        ("recall 0.99 at t, all hashes", plan::by_recall(128, 0.8, 0.99)?),
        ("recall 0.99 at t, fewest candidates", plan::by_recall_leanest(128, 0.8, 0.99)?),
    ] {
        let bands = plan.banding.to_string();
        let (recall, share) = (plan.recall, plan.candidate_share);
        let (positive, negative) = (plan.false_positive_area, plan.false_negative_area);
        println!("{rule:<36} {bands:>7} {recall:>8.4} {share:>11.1e} {positive:>7.4} {negative:>7.4}");
    }
    Ok(())
}
