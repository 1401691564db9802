//! Single tokens, set and refused → the corrected words of a mask.

/// Single tokens that are allowed, whatever else says otherwise, or not; it knows which of its words are not zero.
#[derive(Default)]
pub(crate) struct Scratch {
    allowed: Vec<u32>,
    refused: Vec<u32>,
    touched: Vec<u64>,
}

impl Scratch {
    pub fn fit(&mut self, words: usize) {
        self.allowed.resize(words, 0);
        self.refused.resize(words, 0);
        self.touched.resize(words.div_ceil(64), 0);
    }

    pub fn set(&mut self, token: u32) {
        self.add(token >> 5, 1 << (token & 31));
    }

    pub fn refuse(&mut self, token: u32) {
        let (word, bit) = (token >> 5, 1 << (token & 31));
        self.add(word, 0);
        self.allowed[word as usize] &= !bit;
        self.refused[word as usize] |= bit;
    }

    pub fn cut(&mut self, within: &[u32]) {
        self.allowed.iter_mut().zip(within).for_each(|(word, within)| *word &= within);
    }

    pub fn add(&mut self, word: u32, bits: u32) {
        self.allowed[word as usize] |= bits;
        self.touched[word as usize >> 6] |= 1 << (word & 63);
    }

    /// (word, bits to set, bits to clear before), ascending; the scratch is empty again.
    pub fn corrected(&mut self) -> Box<[(u32, u32, u32)]> {
        let count = self.touched.iter().map(|touched| touched.count_ones() as usize).sum();
        let mut corrected = Vec::with_capacity(count);
        for (block, touched) in self.touched.iter_mut().enumerate() {
            let mut left = std::mem::take(touched);
            while left != 0 {
                let word = (block * 64) as u32 + left.trailing_zeros();
                left &= left - 1;
                let allowed = std::mem::take(&mut self.allowed[word as usize]);
                let refused = std::mem::take(&mut self.refused[word as usize]);
                corrected.push((word, allowed, refused));
            }
        }
        corrected.into()
    }
}
