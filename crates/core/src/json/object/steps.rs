//! Budget of a call × the share of one search → its steps.
//!
//! Searches over sets of members have an exponential worst case, so each counts its own steps.

use crate::error::{Error, Limit, Result};
use crate::limits::Budget;

/// The step budget of one search, charged to the budget of the call.
pub(crate) struct Steps<'a> {
    budget: &'a mut Budget,
    left: u64,
}

/// Steps of the budget per look of a search over sets of members, which copies sets, beside its own: about 0.4 µs.
const BUDGET_STEPS: u64 = 8;

impl<'a> Steps<'a> {
    /// At most `most` steps, and no more than the budget of the call has.
    pub fn new(budget: &'a mut Budget, most: u64) -> Self {
        Steps { budget, left: most }
    }

    /// Whether the search used up its own share while the call's budget lasts.
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Charges steps. Errors: the search's own limit, or the limits of the call.
    pub(super) fn spend(&mut self, amount: u64) -> Result<()> {
        self.budget.spend(BUDGET_STEPS + amount)?;
        self.left = self.left.saturating_sub(amount);
        match self.left {
            0 => Err(Error::Limit(Limit::Steps(amount)).into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_with_its_own_steps_or_those_of_the_call() {
        let mut budget = Budget::default();
        let mut steps = Steps::new(&mut budget, 3);
        assert!(steps.spend(2).is_ok() && !steps.is_exhausted());
        assert!(steps.spend(1).is_err() && steps.is_exhausted());
        let mut steps = Steps::new(&mut budget, 2);
        assert!(steps.spend(5).is_err() && steps.is_exhausted());
    }
}
