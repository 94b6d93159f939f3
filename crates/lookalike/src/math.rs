//! Logarithms, powers and angles that are the same bits on every machine.
//!
//! `f64::ln` and similar functions belong to the platform and may differ in the last bit from one machine to the
//! next. Signatures, plans (the choice of bands and rows) and reported numbers must not differ. So the functions here
//! use only operations that IEEE 754 rounds exactly: `+ - * /` and the square root. The results are correct to a few
//! units in the last place; tests compare them with the platform's. `clippy.toml` of this crate forbids the
//! platform's functions.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// The natural logarithm. With `x = m 2^e` and `s = (m-1)/(m+1)`, it is `e ln 2 + 2 (s + s^3/3 + s^5/5 + ...)`;
/// `|s| < 0.172`, so the error after ten terms is less than 1e-17.
pub(crate) fn ln(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return match x {
            0.0 => f64::NEG_INFINITY,
            x if x > 0.0 => ln(x * (1u64 << 60) as f64) - 60.0 * LN_2,
            _ => f64::NAN,
        };
    }
    if !x.is_finite() {
        return x;
    }
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    exponent as f64 * LN_2 + twice_artanh((mantissa - 1.0) / (mantissa + 1.0))
}

/// `2 (s + s^3/3 + s^5/5 + ...)` for `|s| < 0.172`.
fn twice_artanh(s: f64) -> f64 {
    const COEFFICIENTS: [f64; 9] =
        [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];
    let square = s * s;
    2.0 * s * COEFFICIENTS.iter().fold(1.0 / 19.0, |sum, coefficient| sum * square + coefficient)
}

/// `ln(1 + x)`, accurate even if `x` is small.
pub(crate) fn ln_1p(x: f64) -> f64 {
    if (-0.29..0.41).contains(&x) { twice_artanh(x / (2.0 + x)) } else { ln(1.0 + x) }
}

/// `e^x`: `2^k e^r` with `|r| <= ln 2 / 2`.
pub(crate) fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.79 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let k = (x / LN_2 + if x < 0.0 { -0.5 } else { 0.5 }) as i64;
    // ln 2 is split into two parts. The first has so few digits that its product with k is exact.
    const HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
    let r = x - k as f64 * HIGH - k as f64 * LOW;
    let power = |k: i64| f64::from_bits(((1023 + k) as u64) << 52);
    // Multiply in two steps, because 2^k by itself may be too large or too small.
    (1.0 + exp_m1_near_zero(r)) * power(k / 2) * power(k - k / 2)
}

/// `e^x - 1` by its series, for `|x| < 0.5`.
fn exp_m1_near_zero(x: f64) -> f64 {
    let mut sum = 0.0;
    let mut n = 16.0;
    while n > 1.0 {
        sum = (1.0 + sum) * x / n;
        n -= 1.0;
    }
    x * (1.0 + sum)
}

/// `e^x - 1`, accurate even if `x` is small.
pub(crate) fn exp_m1(x: f64) -> f64 {
    if x.abs() < 0.5 { exp_m1_near_zero(x) } else { exp(x) - 1.0 }
}

/// `x^y` for `x >= 0`.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 { 1.0 } else { exp(y * ln(x)) }
}

/// `x^n` by squaring.
pub(crate) fn powi(mut x: f64, mut n: usize) -> f64 {
    let mut power = 1.0;
    loop {
        if n & 1 == 1 {
            power *= x;
        }
        n /= 2;
        if n == 0 {
            return power;
        }
        x *= x;
    }
}

/// The base-2 logarithm of a positive number. It is exact for powers of two.
pub(crate) fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    if bits & 0x000f_ffff_ffff_ffff == 0 && x.is_normal() && x > 0.0 {
        return ((bits >> 52) as i64 - 1023) as f64;
    }
    ln(x) / LN_2
}

/// `2^n`.
pub(crate) fn exp2(n: u32) -> f64 {
    powi(2.0, n as usize)
}

/// The arc tangent.
pub(crate) fn atan(x: f64) -> f64 {
    // tan(pi/8) and tan(3 pi/8).
    const LOW: f64 = 0.414_213_562_373_095_03;
    const HIGH: f64 = 2.414_213_562_373_095;
    if x < 0.0 {
        return -atan(-x);
    }
    if x > HIGH {
        return FRAC_PI_2 - atan(1.0 / x);
    }
    if x > LOW {
        return FRAC_PI_4 + atan_near_zero((x - 1.0) / (x + 1.0));
    }
    atan_near_zero(x)
}

/// The arc tangent by its series, for `|x| < 0.415`.
fn atan_near_zero(x: f64) -> f64 {
    let square = x * x;
    let mut sum = 0.0;
    let mut n = 45.0;
    while n > 0.0 {
        sum = 1.0 / n - square * sum;
        n -= 2.0;
    }
    x * sum
}

/// The angle from 0 to pi whose cosine is `x`; `x` is from -1 to 1.
pub(crate) fn acos(x: f64) -> f64 {
    if x == -1.0 { PI } else { 2.0 * atan(((1.0 - x) / (1.0 + x)).sqrt()) }
}

/// The sine of an angle from -pi/4 to pi/4 by its series.
fn sin_near_zero(x: f64) -> f64 {
    x * alternating(x * x, 20.0)
}

/// The cosine of an angle from -pi/4 to pi/4 by its series.
fn cos_near_zero(x: f64) -> f64 {
    alternating(x * x, 19.0)
}

/// `1 - y / (n (n+1)) (1 - ...)`, from the innermost n, `last`, down to 1 or 2.
fn alternating(y: f64, last: f64) -> f64 {
    let (mut sum, mut n) = (1.0, last);
    while n > 0.0 {
        sum = 1.0 - sum * y / (n * (n + 1.0));
        n -= 2.0;
    }
    sum
}

/// The sine of an angle from 0 to pi.
pub(crate) fn sin(x: f64) -> f64 {
    if x <= FRAC_PI_4 {
        sin_near_zero(x)
    } else if x <= 3.0 * FRAC_PI_4 {
        cos_near_zero(FRAC_PI_2 - x)
    } else {
        sin_near_zero(PI - x)
    }
}

/// The cosine of an angle from 0 to pi.
pub(crate) fn cos(x: f64) -> f64 {
    if x <= FRAC_PI_4 {
        cos_near_zero(x)
    } else if x <= 3.0 * FRAC_PI_4 {
        sin_near_zero(FRAC_PI_2 - x)
    } else {
        -cos_near_zero(PI - x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    fn assert_close(name: &str, x: f64, ours: f64, theirs: f64, floor: f64) {
        let tolerance = 8.0 * f64::EPSILON * theirs.abs().max(floor);
        assert!((ours - theirs).abs() <= tolerance, "{name}({x}): {ours} {theirs}");
    }

    #[test]
    fn each_function_agrees_with_the_platform_to_a_few_ulps() {
        let mut random = SplitMix64::new(1);
        for _ in 0..20_000 {
            let x = (random.next_f64() + f64::EPSILON) * 2f64.powi(random.below(2000) as i32 - 1000);
            assert_close("ln", x, ln(x), x.ln(), 0.25);
            assert_close("log2", x, log2(x), x.log2(), 0.25);
            assert_close("atan", x, atan(x), x.atan(), 0.0);
            let x = 2.0 * random.next_f64() - 1.0;
            let small = x * 2f64.powi(-(random.below(60) as i32));
            for x in [x, small] {
                assert_close("ln_1p", x, ln_1p(x), x.ln_1p(), 0.0);
                assert_close("exp_m1", x, exp_m1(x), x.exp_m1(), 0.0);
                assert_close("acos", x, acos(x), x.acos(), 1.0);
                let angle = PI * x.abs();
                assert_close("cos", angle, cos(angle), angle.cos(), 1.0);
                assert_close("sin", angle, sin(angle), angle.sin(), 1.0);
            }
            let x = 1400.0 * random.next_f64() - 700.0;
            assert_close("exp", x, exp(x), x.exp(), 0.0);
            assert_close("exp_m1", x, exp_m1(x), x.exp_m1(), 0.0);
            let (base, exponent) = (random.next_f64(), 3.0 * random.next_f64());
            assert_close("pow", base, pow(base, exponent), base.powf(exponent), 0.01);
            let n = random.below(200) as usize;
            assert!((powi(base, n) - base.powi(n as i32)).abs() <= 1e-13 * base.powi(n as i32));
        }
    }

    #[test]
    fn ends_of_the_range_are_as_in_ieee_754() {
        assert_eq!((ln(1.0), ln(0.0), ln(f64::INFINITY)), (0.0, f64::NEG_INFINITY, f64::INFINITY));
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && exp(f64::NAN).is_nan());
        assert_close("ln", 5e-324, ln(5e-324), 5e-324f64.ln(), 0.0);
        assert_eq!((ln_1p(-1.0), ln_1p(0.0)), (f64::NEG_INFINITY, 0.0));
        assert_eq!((exp(f64::NEG_INFINITY), exp(0.0), exp(1e9)), (0.0, 1.0, f64::INFINITY));
        assert_eq!((exp_m1(f64::NEG_INFINITY), exp_m1(0.0)), (-1.0, 0.0));
        assert_eq!((pow(0.0, 0.5), pow(0.0, 0.0), pow(1.0, 9.0)), (0.0, 1.0, 1.0));
        assert_eq!(
            (powi(0.0, 0), powi(3.0, 4), exp2(40), log2(1024.0)),
            (1.0, 81.0, 1_099_511_627_776.0, 10.0)
        );
        assert_eq!((acos(1.0), acos(0.0), acos(-1.0), atan(0.0)), (0.0, FRAC_PI_2, PI, 0.0));
        assert_eq!((cos(0.0), sin(0.0), cos(PI)), (1.0, 0.0, -1.0));
    }

    /// Every machine must compute these bits.
    #[test]
    fn the_bits_are_fixed() {
        let found = [
            ln(0.8),
            ln_1p(-0.3),
            exp(-1.5),
            exp_m1(0.01),
            pow(0.05, 0.2),
            powi(0.8, 6),
            acos(0.3),
            cos(1.0),
        ];
        assert_eq!(found.map(f64::to_bits), FIXED);
    }

    const FIXED: [u64; 8] = [
        0xbfcc_8ff7_c79a_9a1f,
        0xbfd6_d3c3_24e1_3f4f,
        0x3fcc_8f87_724b_5c1d,
        0x3f84_952e_9791_133f,
        0x3fe1_93b4_3862_cff2,
        0x3fd0_c6f7_a0b5_ed90,
        0x3ff4_41f5_ecbe_ef58,
        0x3fe1_4a28_0fb5_068b,
    ];
}
