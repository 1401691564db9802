//! The numbers inside terms, each a type of its own: what a number refers to is seen where the number stands.

use crate::storage::id::id;

id! {
    /// The number of a rule in `grammar::rules::Rules`.
    pub struct RuleId;
}

id! {
    /// The number of a special token among those that the grammar names.
    pub struct SpecialId;
}

id! {
    /// The number of an object in `Registers::objects`.
    pub struct ObjectId;
}

id! {
    /// The number of an object's state in `Registers::states`.
    pub struct ObjectStateId;
}

id! {
    /// The number of an array of unique items in `Registers::uniques`.
    pub struct ArrayId;
}

id! {
    /// The number of such an array's state in `Registers::unique_states`.
    pub struct ArrayStateId;
}

id! {
    /// The number of a literal in `Terms::literals`.
    pub struct LiteralId;
}

id! {
    /// The number of a set of words in `Terms::word_sets`.
    pub struct WordSetId;
}

id! {
    /// A set of keys in `KeySets`.
    #[derive(Default)]
    pub struct KeySetId;
}

id! {
    /// The number of the text of an open key in `Registers::texts`.
    pub struct TextId;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::key_set::NO_KEYS;

    #[test]
    fn an_id_is_the_place_in_its_list_in_four_bytes() {
        assert_eq!((RuleId::at(7).index(), RuleId::at(7).number()), (7, 7));
        assert_eq!((TextId::new(7).index(), TextId::new(7)), (7, TextId::at(7)));
        assert_ne!(ObjectId::new(1), ObjectId::new(2));
        assert_eq!([size_of::<ObjectStateId>(), size_of::<ArrayStateId>(), size_of::<LiteralId>()], [4; 3]);
    }

    #[test]
    fn ids_are_ordered_as_their_lists_are() {
        assert!(SpecialId::new(1) < SpecialId::new(2) && WordSetId::new(9) < WordSetId::new(10));
    }

    #[test]
    fn the_first_set_of_keys_is_the_empty_one() {
        assert_eq!(KeySetId::default(), NO_KEYS);
    }
}
