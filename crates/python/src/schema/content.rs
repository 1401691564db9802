//! Content of a plain value (`crate::content`) → tree of the native front end, without Python.

use crate::schema::numeral;
use frisket::front_end::schema::error::Error;
use frisket::front_end::schema::json::{self, Text, Tree, TreeBuilder};
use frisket::front_end::Watch;
use std::str::from_utf8;
use std::sync::Arc;

/// Bytes beyond which a value itself is read: it may hold one dict in many places, which its content spells out.
const LONGEST: usize = 1 << 20;

/// The part that the next byte begins.
enum Place {
    Value,
    /// The next key of an object, or its end.
    Member,
    /// This many items of an array, then its end.
    Items(u32),
}

/// The reason why there is no tree.
enum Failure {
    /// The value itself must be read: it is long, or an object in it has a key that is no string.
    NotPlain,
    Refused(Box<Error>),
}

impl From<Box<Error>> for Failure {
    fn from(error: Box<Error>) -> Self {
        Failure::Refused(error)
    }
}

type Result<T> = std::result::Result<T, Failure>;

/// The tree of a schema from its content; None if the schema itself must be read. A string is JSON text.
///
/// `watch` may end the reading.
pub fn tree(content: &[u8], watch: Watch) -> Option<frisket::front_end::schema::error::Result<Arc<Tree>>> {
    match build(content, watch) {
        Ok(tree) => Some(Ok(Arc::new(tree))),
        Err(Failure::Refused(error)) => Some(Err(error)),
        Err(Failure::NotPlain) => None,
    }
}

fn build(content: &[u8], watch: Watch) -> Result<Tree> {
    let mut rest = content;
    if let [b'u', text @ ..] = content {
        rest = text;
        return Ok(json::parse_watched(string(&mut rest)?, watch)?);
    }
    if content.len() > LONGEST {
        return Err(Failure::NotPlain);
    }
    let mut builder = TreeBuilder::default();
    builder.reserve(content.len());
    builder.watched_by(watch);
    let mut places = vec![Place::Value];
    while let Some(place) = places.pop() {
        match place {
            Place::Value => places.extend(value(&mut builder, &mut rest)?),
            Place::Items(0) => {
                builder.end()?;
            }
            Place::Items(left) => {
                places.push(Place::Items(left - 1));
                places.extend(value(&mut builder, &mut rest)?);
            }
            Place::Member => match byte(&mut rest)? {
                b'0' => {
                    builder.end()?;
                }
                b'u' => {
                    builder.key(Text::Unicode(string(&mut rest)?))?;
                    places.extend([Place::Member, Place::Value]);
                }
                _ => return Err(Failure::NotPlain),
            },
        }
    }
    Ok(builder.finish())
}

/// Pushes a scalar, or the beginning of an array or object, whose parts then follow.
fn value(builder: &mut TreeBuilder, rest: &mut &[u8]) -> Result<Option<Place>> {
    match byte(rest)? {
        b'{' => {
            builder.begin_object()?;
            return Ok(Some(Place::Member));
        }
        b'[' => {
            builder.begin_array()?;
            return Ok(Some(Place::Items(u32::from_le_bytes(array(rest)?))));
        }
        b'u' => builder.string(Text::Unicode(string(rest)?))?,
        b'T' => builder.boolean(true)?,
        b'F' => builder.boolean(false)?,
        b'N' => builder.null()?,
        b'i' => builder.number(&i32::from_le_bytes(array(rest)?).to_string())?,
        b'g' => numeral::float(builder, f64::from_le_bytes(array(rest)?))?,
        _ => return Err(Failure::NotPlain),
    };
    Ok(None)
}

fn string<'a>(rest: &mut &'a [u8]) -> Result<&'a str> {
    let length = u32::from_le_bytes(array(rest)?) as usize;
    let (text, after) = rest.split_at_checked(length).ok_or(Failure::NotPlain)?;
    *rest = after;
    from_utf8(text).map_err(|_| Failure::NotPlain)
}

fn byte(rest: &mut &[u8]) -> Result<u8> {
    array(rest).map(|[byte]| byte)
}

fn array<const LENGTH: usize>(rest: &mut &[u8]) -> Result<[u8; LENGTH]> {
    let (head, after) = rest.split_first_chunk().ok_or(Failure::NotPlain)?;
    *rest = after;
    Ok(*head)
}
