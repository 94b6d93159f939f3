//! A smooth function on an interval -> its integral.

/// The positive nodes and the weights of the 16-point Gauss-Legendre rule on `[-1, 1]`. It is exact for
/// polynomials up to degree 31.
const NODES: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// The integral of `f` over `[lo, hi]`, computed piece by piece between the ascending `knots` that are inside. The
/// caller chooses the knots so that `f` is smooth on each piece at the scale of the piece.
pub(super) fn integrate(f: impl Fn(f64) -> f64, lo: f64, hi: f64, knots: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut left = lo;
    for right in knots.iter().copied().filter(|&knot| knot < hi).chain([hi]) {
        if right > left {
            total += gauss_legendre(&f, left, right);
            left = right;
        }
    }
    total
}

fn gauss_legendre(f: &impl Fn(f64) -> f64, lo: f64, hi: f64) -> f64 {
    let (middle, half) = ((lo + hi) / 2.0, (hi - lo) / 2.0);
    let sum: f64 =
        NODES.iter().map(|&(x, weight)| weight * (f(middle - half * x) + f(middle + half * x))).sum();
    sum * half
}
