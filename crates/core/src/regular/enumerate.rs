//! Regular term → membership of one text, and the list of all texts.
//!
//! Builders of finite sets and tests ask these two questions; masks do not.

use crate::error::Result;
use crate::regular::arena::{Arena, DERIVATION};
use crate::regular::term::{TermId, EMPTY};

impl Arena {
    /// Whether the term matches exactly these bytes. Errors if the budget ends.
    pub fn matches(&mut self, mut id: TermId, data: &[u8]) -> Result<bool> {
        for &byte in data {
            id = self.derive(id, byte)?;
        }
        Ok(self.info(id).nullable)
    }

    /// All texts, the shortest first; `None` if there are more than `limit`. Errors if the budget ends.
    pub fn enumerate(&mut self, id: TermId, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        if self.is_cofinite(id) {
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut layer = vec![(Vec::new(), id)];
        while !layer.is_empty() {
            let mut next_layer = Vec::new();
            for (text, id) in layer {
                if self.info(id).nullable {
                    texts.push(text.clone());
                }
                // Every prefix of a layer is the start of at least one more text.
                if texts.len() + next_layer.len() > limit {
                    return Ok(None);
                }
                let (mut text, first_bytes) = (text, self.first_bytes(id));
                let mut left = first_bytes.len();
                for byte in first_bytes.iter() {
                    left -= 1;
                    let next = self.derive(id, byte)?;
                    if next != EMPTY {
                        // Copies of texts cost memory, even if their derivatives are cached; the last branch moves its text.
                        let mut longer: Vec<u8> = if left == 0 {
                            self.spend(4 * DERIVATION)?;
                            std::mem::take(&mut text)
                        } else {
                            self.spend(4 * DERIVATION + text.len() as u64 / 16)?;
                            text.clone()
                        };
                        longer.push(byte);
                        next_layer.push((longer, next));
                        if texts.len() + next_layer.len() > limit {
                            return Ok(None);
                        }
                    }
                }
            }
            layer = next_layer;
        }
        Ok(Some(texts))
    }
}
