//! The numbers in the plots.
#![allow(clippy::unwrap_used, reason = "tests may")]

use figures::svg::{
    Axis, Bin, ClusterSizes, Corner, Curve, CurvePlot, Histogram, LinePlot, Marks, Series, Stage, Stages,
};
use lookalike::banding::{Banding, SCurve};
use proptest::prelude::*;

fn curve(bands: usize, rows: usize) -> (SCurve, Curve) {
    let curve = SCurve::new(Banding::new(bands, rows).unwrap());
    (curve, Curve::sample(format!("{bands} x {rows}"), |s| curve.probability(s)))
}

/// The values of an attribute, of elements that have all of `with` in their tag.
fn values(svg: &str, attribute: &str, with: &str) -> Vec<f64> {
    svg.split('<')
        .filter_map(|tag| tag.split_once('>').map(|(tag, _)| tag))
        .filter(|tag| tag.contains(with))
        .filter_map(|tag| tag.split_once(&format!(" {attribute}=\""))?.1.split_once('"')?.0.parse().ok())
        .collect()
}

/// Every element is closed, in order: what an XML parser would insist on first.
fn is_balanced(svg: &str) -> bool {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let Some((tag, _)) = tag.split_once('>') else { return false };
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(_) if open.pop() != Some(name) => return false,
            Some(_) => {}
            None => open.push(name),
        }
    }
    open.is_empty()
}

#[test]
fn the_curve_has_its_probability_and_areas_as_text() {
    let (exact, curve) = curve(16, 8);
    let (positive, negative) = curve.error_areas(0.8);
    assert!((positive - exact.false_positive_area(0.8).unwrap()).abs() < 1e-5);
    assert!((negative - exact.false_negative_area(0.8).unwrap()).abs() < 1e-5);
    let svg = CurvePlot { threshold: Some(0.8), ..CurvePlot::of(curve) }.svg().standalone();
    assert!(svg.contains("threshold 0.8: found with 94.7 %"));
    assert!(svg.contains(&format!("compared in vain: area {positive:.4}")));
    assert!(svg.contains(&format!("missed: area {negative:.4}")));
    assert!(svg.contains("aria-label=") && svg.contains("<title>S-curve</title>"));
    assert!(is_balanced(&svg));
}

#[test]
fn the_curve_is_drawn_where_it_is() {
    let straight = Curve { label: "straight".into(), probabilities: vec![0.0, 1.0] };
    assert_eq!([0.0, 0.25, 1.0].map(|s| straight.at(s)), [0.0, 0.25, 1.0]);
    assert_eq!(straight.error_areas(0.5), (0.125, 0.125));
    let svg = CurvePlot::of(straight).svg().standalone();
    assert!(svg.contains(r#"class="curve" d="M44 306L624 54""#), "{svg}");
}

#[test]
fn several_plans_and_the_found_pairs_are_told_apart() {
    let mut found = vec![Bin::default(); 21];
    found[17] = Bin { found: 40, missed: 0.0 };
    found[20] = Bin { found: 10, missed: 0.0 };
    let plot = CurvePlot { curves: vec![curve(16, 8).1, curve(8, 16).1], threshold: Some(0.8), found };
    let svg = plot.svg().standalone();
    assert!(svg.contains(">16 x 8</text>") && svg.contains(">8 x 16</text>"));
    assert!(svg.contains("40 pairs found, 0.85 to 0.90") && svg.contains("10 pairs found, exactly 1"));
    // 252 units high is all of the plot.
    assert_eq!(values(&svg, "height", r#"class="found pale" x="#)[..2], [252.0, 63.0]);
}

#[test]
fn bars_are_as_high_as_their_numbers() {
    let mut bins = vec![Bin::default(); 21];
    bins[16] = Bin { found: 50, missed: 25.0 };
    bins[19] = Bin { found: 100, missed: 0.0 };
    let histogram = Histogram { bins, threshold: Some(0.8) };
    let svg = histogram.svg().standalone();
    // 214 units for the round number at the top, which is 100.
    assert_eq!(values(&svg, "height", r#"class="found""#), [107.0, 0.0, 0.0, 214.0, 0.0]);
    assert_eq!(values(&svg, "height", r#"class="missed" x="#)[0], 53.5);
    assert!(svg.contains("0.80 to 0.85: 50 found") && svg.contains("0.80 to 0.85: 25.0 missed, by estimate"));
    assert!(svg.contains("150 pairs found, 25.0 missed by estimate."));
    assert!(is_balanced(&svg));
}

#[test]
fn cluster_sizes_are_on_log_scales() {
    let sizes = ClusterSizes { sizes: vec![(10, 100), (100, 1), (1, 10), (0, 7), (7, 0)] };
    let svg = sizes.svg().standalone();
    assert_eq!(values(&svg, "cx", "circle"), [52.0, 338.0, 624.0]);
    assert_eq!(values(&svg, "cy", "circle"), [149.0, 34.0, 264.0]);
    assert!(svg.contains("largest: 100 documents") && svg.contains("100 of 10 documents"));
}

fn line_plot(x: Axis, y: Axis, series: Vec<Series>) -> LinePlot {
    LinePlot { title: "title".into(), x, y, series, mark: None, legend: Corner::TopLeft }
}

#[test]
fn lines_points_and_bars_are_drawn_where_they_are() {
    let bars = Series { label: "bars".into(), marks: Marks::Bars(0.5), points: vec![(3.0, 5.0)] };
    let series = vec![
        Series::of("line", 2.0, 4.0, |x| 5.0 * (x - 2.0)),
        Series::points("points", vec![(3.0, 10.0), (f64::NAN, 1.0)]),
        bars,
    ];
    let plot = LinePlot {
        mark: Some((2.0, "here".into())),
        ..line_plot(Axis::between("x", 2.0, 4.0), Axis::between("y", 0.0, 10.0), series)
    };
    let svg = plot.svg().standalone();
    // The plot is 572 wide from 52, and 252 high down to 306.
    assert!(svg.contains("class=\"curve\" d=\"M52 306L") && svg.contains("L624 54\""), "{svg}");
    assert_eq!(values(&svg, "cx", "circle")[0], 338.0);
    assert_eq!(values(&svg, "cy", "circle")[0], 54.0);
    assert_eq!(values(&svg, "width", r#"class="found pale" x="#)[0], 143.0);
    assert_eq!(values(&svg, "height", r#"class="found pale" x="#)[0], 126.0);
    assert!(svg.contains("class=\"threshold\" d=\"M52 306L52 54\"") && svg.contains(">here</text>"));
    assert!(is_balanced(&svg));

    let log =
        line_plot(Axis::log("x", 100), Axis::log("y", 10_000), vec![Series::points("", vec![(10.0, 100.0)])]);
    let svg = log.svg().standalone();
    assert_eq!((values(&svg, "cx", "circle")[0], values(&svg, "cy", "circle")[0]), (338.0, 180.0));
}

#[test]
fn stages_have_time_and_throughput() {
    let stage = |name: &str, seconds: f64| Stage {
        name: name.into(),
        seconds,
        cpu_seconds: 2.0 * seconds,
        amount: 5_000_000,
        unit: "bytes".into(),
    };
    let svg = Stages { stages: vec![stage("read", 10.0), stage("write", 2.5)] }.svg().standalone();
    assert_eq!(values(&svg, "width", r#"class="found""#), [608.0, 152.0]);
    assert!(
        svg.contains("10.0 s")
            && svg.contains(" · 20.0 s CPU · 500 kB/s")
            && svg.contains(" · 5.00 s CPU · 2.0 MB/s")
    );
}

#[test]
fn nothing_to_show_is_no_trouble() {
    for svg in [
        CurvePlot::default().svg(),
        CurvePlot::of(Curve { label: String::new(), probabilities: Vec::new() }).svg(),
        Histogram::default().svg(),
        Histogram { bins: vec![Bin::default()], threshold: Some(f64::NAN) }.svg(),
        ClusterSizes::default().svg(),
        Stages::default().svg(),
        line_plot(Axis::between("", 1.0, 1.0), Axis::log("", 0), Vec::new()).svg(),
    ] {
        assert!(is_balanced(&svg.standalone()));
    }
}

proptest! {
    #[test]
    fn any_numbers_and_labels_give_a_drawing(
        label in any::<String>(),
        probabilities in prop::collection::vec(any::<f64>(), 0..5),
        threshold in any::<f64>(),
        found in prop::collection::vec((any::<u64>(), any::<f64>()), 0..25),
        sizes in prop::collection::vec(any::<(u64, u64)>(), 0..9),
    ) {
        let bins: Vec<Bin> = found.iter().map(|&(found, missed)| Bin { found, missed }).collect();
        let curves = vec![Curve { label: label.clone(), probabilities }];
        let plot = CurvePlot { curves, threshold: Some(threshold), found: bins.clone() }.svg().standalone();
        let points: Vec<(f64, f64)> = found.iter().map(|&(x, y)| (x as f64, y)).collect();
        let series = [Marks::Line, Marks::Points, Marks::Bars(threshold)]
            .map(|marks| Series { label: label.clone(), marks, points: points.clone() });
        let lines = LinePlot {
            mark: Some((threshold, label.clone())),
            legend: Corner::BottomRight,
            ..line_plot(Axis::between(label.clone(), threshold, 1.0), Axis::log("", 7), series.into())
        };
        let stage = Stage { name: label, seconds: threshold, cpu_seconds: threshold, amount: 1, unit: "<".into() };
        for svg in [
            plot,
            Histogram { bins, threshold: Some(threshold) }.svg().standalone(),
            ClusterSizes { sizes }.svg().standalone(),
            Stages { stages: vec![stage] }.svg().standalone(),
            lines.svg().standalone(),
        ] {
            prop_assert!(is_balanced(&svg));
            prop_assert!(!svg.contains("NaN\"") && !svg.contains("inf\""));
        }
    }
}
