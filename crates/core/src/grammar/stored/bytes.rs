//! Numbers and texts ⇄ bytes. Reading checks every length against the bytes that are left.

use crate::error::Result;
use crate::grammar::stored::refusal;

/// Appends numbers and texts.
#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub fn raw(&mut self, data: &[u8]) {
        self.0.extend_from_slice(data);
    }

    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }

    pub fn u128(&mut self, value: u128) {
        self.raw(&value.to_le_bytes());
    }

    /// A length and the bytes.
    pub fn bytes(&mut self, data: &[u8]) {
        self.u32(data.len() as u32);
        self.raw(data);
    }

    /// A length and the elements, each written by `each`.
    pub fn list<T>(
        &mut self,
        all: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        each: impl Fn(&mut Self, T),
    ) {
        let all = all.into_iter();
        self.u32(all.len() as u32);
        all.for_each(|one| each(self, one));
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// What is left of a file.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Reader(data)
    }

    pub fn raw(&mut self, length: usize) -> Result<&'a [u8]> {
        let (data, rest) = self.0.split_at_checked(length).ok_or_else(|| refusal("ends early"))?;
        self.0 = rest;
        Ok(data)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.raw(N)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.raw(1)?[0])
    }

    pub fn bool(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(refusal("has a flag that is neither 0 nor 1")),
        }
    }

    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn u128(&mut self) -> Result<u128> {
        self.array().map(u128::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.u32()?;
        self.raw(length as usize)
    }

    pub fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| refusal("has a name that is no UTF-8"))
    }

    /// The elements of a list, each read by `each`. An element takes at least a byte, so memory is bounded by the file.
    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.u32()? as usize;
        if count > self.0.len() {
            return Err(refusal("ends early"));
        }
        (0..count).map(|_| each(self)).collect()
    }

    /// Everything that is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut out = Writer::default();
        out.bool(true);
        out.u64(1 << 40);
        out.u128(1 << 100);
        out.bytes(b"ab");
        out.list([3, 4], |out, number| out.u32(number));
        out.raw(b"rest");
        let data = out.finish();
        let mut file = Reader::new(&data);
        assert_eq!((file.bool(), file.u64(), file.u128()), (Ok(true), Ok(1 << 40), Ok(1 << 100)));
        assert_eq!((file.text(), file.list(Reader::u32)), (Ok("ab"), Ok(vec![3, 4])));
        assert_eq!(file.rest(), b"rest");
    }

    #[test]
    fn a_length_beyond_the_bytes_that_are_left_is_refused() {
        let data = u32::MAX.to_le_bytes();
        assert!(Reader::new(&data).bytes().is_err());
        assert!(Reader::new(&data).list(Reader::u8).is_err());
        assert!(Reader::new(&data[..3]).u32().is_err());
        assert!(Reader::new(&[2]).bool().is_err() && Reader::new(&[1, 0, 0, 0, 0xff]).text().is_err());
    }
}
