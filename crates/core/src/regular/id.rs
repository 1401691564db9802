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
