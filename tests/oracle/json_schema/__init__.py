"""JSON Schema → Grammar in plain Python, slowly: what crates/schema is compared with.

place     places → goals, demands by number      reader      one place's keywords → a reading
reading   what one place says                    keywords    which keywords count; what each says, by type
value     sets of values: types and cases        algebra     goals → unions of cases, lazily
apart     alternatives of oneOf → cases          complement  everything outside cases and goals
annotated cases, each with what it evaluates     emptiness   whether certainly no value is left
lower     goals → nodes and rules                prelude     what all schemas have in common
layout    punctuation and white space            said        what equal places have in common
string    conditions on a text; quoted as JSON strings; semantic: format and content*
number    conditions on a number; interval as one; digits of a range; multiple of a step
array     conditions on an array
object    conditions on an object; key: texts of keys; region: keys without a name; member: the node; mark: its marks
clause    conditions on an object as clauses, of which complements and unions do not split
coverage  what asks nothing; advice: what to write instead; room: how deep schemas may nest

Drafts, references and registries are read by `frisket.lint.resolve`.
"""

from tests.oracle.json_schema.compile import FEW, attempts, compile_json_schema, lower_json_schema
from tests.oracle.json_schema.prelude import Prelude, prelude_of

__all__ = ["FEW", "Prelude", "attempts", "compile_json_schema", "lower_json_schema", "prelude_of"]
