//! Tests whether a number is prime.

/// True if `n` is prime: Miller and Rabin's test with the first twelve primes as bases, which is exact for
/// every 64-bit number (Sorenson and Webster 2015).
pub(super) fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    if let Some(&base) = BASES.iter().find(|&&base| n.is_multiple_of(base)) {
        return n == base;
    }
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    BASES.iter().all(|&base| {
        let mut x = power(base, odd, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..twos).any(|_| {
            x = multiply(x, x, n);
            x == n - 1
        })
    })
}

fn multiply(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn power(base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let (mut square, mut result) = (base % modulus, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square, modulus);
        }
        square = multiply(square, square, modulus);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::is_prime;

    #[test]
    fn agrees_with_trial_division() {
        for n in 0..5_000u64 {
            let by_division = n >= 2 && (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0);
            assert_eq!(is_prime(n), by_division, "{n}");
        }
    }

    #[test]
    fn knows_large_primes_and_pseudoprimes() {
        assert!(is_prime((1 << 61) - 1));
        assert!(is_prime(u64::MAX - 58), "2^64 - 59 is the largest 64-bit prime");
        assert!(!is_prime(u64::MAX));
        assert!(!is_prime(561), "the smallest Carmichael number");
        assert!(!is_prime(3_215_031_751), "a strong pseudoprime to the bases 2, 3, 5 and 7");
        assert!(!is_prime(((1 << 31) - 1) * ((1 << 31) - 1)));
    }
}
