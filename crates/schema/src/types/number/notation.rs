//! The options for the spelling of numbers.

/// The spellings of numbers that a document may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Notation {
    /// Whether integers may be spelled `1.0` and `1e2`, and multiples with an exponent.
    pub free: bool,
    /// The most digits before the point of an unbounded number. A bound with more digits raises it.
    pub whole: u32,
    /// About the most digits behind the point. A bound or a multiple with more digits raises it.
    pub fraction: u32,
    /// The most digits of an exponent; 0 forbids exponents. 3 admits what a double holds, 4 and more anything.
    pub exponent: u32,
}

impl Notation {
    /// Whether numbers are bounded as doubles are: an exponent of three digits then needs a single digit before the
    /// point.
    pub fn is_double(&self) -> bool {
        self.exponent == 3
    }

    /// The least and the greatest exponent.
    pub fn exponents(&self) -> (i64, i64) {
        let most = 10i64.pow(self.exponent) - 1;
        if self.is_double() {
            (-324, 308)
        } else {
            (-most, most)
        }
    }
}

impl Default for Notation {
    fn default() -> Self {
        Notation { free: false, whole: 40, fraction: 40, exponent: 3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_three_digits_are_those_of_doubles() {
        let notation = |exponent| Notation { exponent, ..Notation::default() };
        assert_eq!(notation(3).exponents(), (-324, 308));
        assert_eq!(notation(2).exponents(), (-99, 99));
        assert_eq!((notation(0).exponents(), notation(0).is_double()), ((0, 0), false));
    }
}
