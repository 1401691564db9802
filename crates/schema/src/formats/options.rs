//! The caller's options for formats.

/// The formats that are asserted; all others are annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// The formats of JSON Schema, in all drafts, and the integers of OpenAPI.
    #[default]
    Assert,
    /// No format.
    Annotate,
    /// The formats of OpenAPI and Pydantic, too.
    OpenApi,
    /// Like `OpenApi`, without texts that Python's own types cannot hold.
    Python,
}

impl Mode {
    /// Whether names of OpenAPI and Pydantic are known.
    pub fn is_wide(self) -> bool {
        matches!(self, Mode::OpenApi | Mode::Python)
    }

    /// Whether texts that Python's own types cannot hold are left out.
    pub fn is_python(self) -> bool {
        self == Mode::Python
    }
}

/// The formats that are asserted, and bounds on their texts in documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FormatOptions {
    /// The formats that are asserted.
    pub mode: Mode,
    /// The most digits of each number of a duration.
    pub max_integer_digits: u32,
    /// The most digits of a second after the point.
    pub max_second_digits: u32,
}

impl Default for FormatOptions {
    fn default() -> Self {
        FormatOptions { mode: Mode::default(), max_integer_digits: 40, max_second_digits: 9 }
    }
}
