//! A number that indexes one kind of thing → a type of its own, so that numbers of two kinds cannot be mixed up.

/// Defines a newtype of `u32`. It costs nothing at run time: layout, order and hash are those of the number.
macro_rules! id {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(transparent)]
        $visibility struct $name(u32);

        // Every kind of number has all four, whether or not it needs each.
        #[allow(dead_code)]
        impl $name {
            /// The id of this number.
            #[inline]
            pub const fn new(number: u32) -> Self {
                $name(number)
            }

            /// The id of the thing at this place of its list.
            #[inline]
            pub const fn at(index: usize) -> Self {
                $name(index as u32)
            }

            /// The place in the list that the id indexes.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The number.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0
            }
        }
    };
}
pub(crate) use id;
