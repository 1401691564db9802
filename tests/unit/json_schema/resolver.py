"""Schema document + registry → places: what a subschema is, under which draft, and where its references lead.

An oracle for the native resolver, written without its code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol
from urllib.parse import unquote, urljoin, urlsplit, uses_relative

from frisket.json_pointer import escape, to_steps

#: A URI of each scheme may have a path, though `urljoin` knows only some (RFC 3986).
uses_relative.append("urn")

#: The drafts, as numbers that compare.
DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020 = 4, 6, 7, 2019, 2020

DRAFTS = {
    "json-schema.org/draft-03/schema": DRAFT4,
    "json-schema.org/draft-04/schema": DRAFT4,
    "json-schema.org/draft-06/schema": DRAFT6,
    "json-schema.org/draft-07/schema": DRAFT7,
    "json-schema.org/draft/2019-09/schema": DRAFT2019,
    "json-schema.org/draft/2020-12/schema": DRAFT2020,
}

#: What of a keyword's value may be schemas: the value itself, its items, or its members.
ITSELF, ITEMS, MEMBERS = 1, 2, 4

#: By keyword.
HOLDS = {
    "additionalItems": ITSELF,
    "additionalProperties": ITSELF,
    "contains": ITSELF,
    "contentSchema": ITSELF,
    "else": ITSELF,
    "if": ITSELF,
    "items": ITSELF | ITEMS,
    "not": ITSELF,
    "propertyNames": ITSELF,
    "then": ITSELF,
    "unevaluatedItems": ITSELF,
    "unevaluatedProperties": ITSELF,
    "allOf": ITEMS,
    "anyOf": ITEMS,
    "oneOf": ITEMS,
    "prefixItems": ITEMS,
    "$defs": MEMBERS,
    "definitions": MEMBERS,
    "dependencies": MEMBERS,
    "dependentSchemas": MEMBERS,
    "patternProperties": MEMBERS,
    "properties": MEMBERS,
}

Schema = Any


class Registry(Protocol):
    """What frisket asks of a `referencing.Registry`."""

    def contents(self, uri: str) -> Any: ...


class UnresolvedReference(Exception):
    """The reference leads to a document that nobody supplied."""


class Resource:
    """A schema with its own base URI."""

    __slots__ = (
        "anchors",
        "asserts",
        "contents",
        "draft",
        "dynamic",
        "parent",
        "pointer",
        "recursive",
        "scanned",
        "uri",
    )

    def __init__(self, contents: Schema, uri: str, draft: int, pointer: str, parent: Resource | None) -> None:
        self.contents = contents
        self.uri = uri
        self.draft = draft
        self.pointer = pointer
        self.parent = parent
        self.anchors: dict[str, tuple[Schema, str]] = {}
        self.dynamic: dict[str, tuple[Schema, str]] = {}
        self.recursive = isinstance(contents, dict) and contents.get("$recursiveAnchor") is True
        self.scanned = False
        #: Whether the metaschema has the validation vocabulary (2019-09 and later may leave it out).
        self.asserts: bool = parent.asserts if parent is not None else True


class Documents:
    """Every resource that the schema reaches. Never touches the network: other documents come from `registry`."""

    def __init__(self, schema: Schema, registry: Registry | None) -> None:
        self.registry = registry
        self.by_uri: dict[str, Resource] = {}
        self.by_identity: dict[tuple[int, int], Resource] = {}
        self.root = self.resource(schema, "", DRAFT2020, "", None)

    def resource(self, contents: Schema, base: str, draft: int, pointer: str, parent: Resource | None) -> Resource:
        """The resource that begins at `contents`."""
        uri = base
        if isinstance(contents, dict):
            draft = self.draft_of(contents, draft)
            name = identifier(contents, draft)
            if name is not None:
                uri = urljoin_any(base, name)
        key = (id(contents), id(parent) if parent is not None else 0)
        found = self.by_identity.get(key)
        if found is None:
            found = Resource(contents, uri, draft, pointer, parent)
            found.asserts = self.has_validation(contents, draft, found.asserts)
            self.by_identity[key] = found
            if uri:
                self.by_uri.setdefault(uri, found)
        return found

    def draft_of(self, contents: dict[str, Any], inherited: int) -> int:
        named = contents.get("$schema")
        if not isinstance(named, str):
            return inherited
        bare = named.split("://", 1)[-1].rstrip("#").rstrip("/")
        found = DRAFTS.get(bare)
        if found is not None:
            return found
        return self.draft_of_metaschema(named, inherited)

    def draft_of_metaschema(self, named: str, inherited: int) -> int:
        try:
            contents = self.fetch(without_fragment(named)[0])
        except UnresolvedReference:
            return inherited
        named_by = contents.get("$schema") if isinstance(contents, dict) else None
        return inherited if named_by in (None, named) else self.draft_of(contents, inherited)

    def has_validation(self, contents: Schema, draft: int, inherited: bool) -> bool:
        named = contents.get("$schema") if isinstance(contents, dict) else None
        if draft < DRAFT2019 or not isinstance(named, str) or "//json-schema.org/" in named:
            return inherited if not isinstance(named, str) else True
        try:
            metaschema = self.fetch(without_fragment(named)[0])
        except UnresolvedReference:
            return True
        vocabularies = metaschema.get("$vocabulary") if isinstance(metaschema, dict) else None
        return not isinstance(vocabularies, dict) or any(uri.endswith("/vocab/validation") for uri in vocabularies)

    def inside(self, schema: Schema, resource: Resource, pointer: str) -> Resource:
        """The resource of a subschema: its own if it names itself, otherwise the one around it."""
        if (
            isinstance(schema, dict)
            and schema is not resource.contents
            and identifier(schema, resource.draft) is not None
        ):
            return self.resource(schema, resource.uri, resource.draft, pointer, resource)
        return resource

    def resolve(self, reference: str, resource: Resource) -> tuple[Schema, Resource, str]:
        """(schema, its resource, its pointer) of a `$ref`."""
        target, fragment = resource, reference[1:]
        if not reference.startswith("#"):
            uri, fragment = without_fragment(urljoin_any(resource.uri, reference))
            target = self.lookup(uri, resource)
        if not fragment:
            return target.contents, target, target.pointer
        fragment = unquote(fragment)
        if fragment.startswith("/"):
            return self.walk(fragment, target, reference)
        self.scan(target)
        found = target.anchors.get(fragment) or target.dynamic.get(fragment)
        if found is None:
            raise UnresolvedReference(reference)
        return found[0], target, found[1]

    def lookup(self, uri: str, resource: Resource) -> Resource:
        found = self.by_uri.get(uri)
        if found is not None:
            return found
        self.scan(self.top(resource))
        self.scan(self.root)
        found = self.by_uri.get(uri)
        if found is not None:
            return found
        if uri == self.root.uri:
            return self.root
        contents = self.fetch(uri)
        found = Resource(contents, uri, resource.draft, uri + "#", None)
        if isinstance(contents, dict):
            found.draft = self.draft_of(contents, resource.draft)
            name = identifier(contents, found.draft)
            if name is not None:
                found.uri = urljoin_any(uri, name)
                self.by_uri.setdefault(found.uri, found)
        self.by_identity[id(contents), 0] = found
        self.by_uri[uri] = found
        self.scan(found)
        return found

    def top(self, resource: Resource) -> Resource:
        while resource.parent is not None:
            resource = resource.parent
        return resource

    def fetch(self, uri: str) -> Schema:
        if self.registry is not None:
            try:
                return self.registry.contents(uri)
            except (LookupError, ValueError) as error:
                cause: Exception = error
        else:
            cause = UnresolvedReference(uri)
        if "json-schema.org/" in uri:
            try:
                from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

                return REGISTRY.contents(uri)
            except (ImportError, LookupError, ValueError):
                pass
        raise UnresolvedReference(uri) from cause

    def walk(self, fragment: str, resource: Resource, reference: str) -> tuple[Schema, Resource, str]:
        """Follow a JSON pointer; a subschema on the way that names itself changes the base."""
        current, pointer = resource.contents, resource.pointer
        for token in to_steps(fragment):
            if isinstance(current, list) and token.isdigit() and int(token) < len(current):
                current = current[int(token)]
            elif isinstance(current, dict) and token in current:
                current = current[token]
            else:
                raise UnresolvedReference(reference)
            pointer += "/" + escape(token)
            resource = self.inside(current, resource, pointer)
        return current, resource, pointer

    def scan(self, resource: Resource) -> None:
        """Find every name below: `$id`, `$anchor`, `$dynamicAnchor`."""
        if resource.scanned:
            return
        resource.scanned = True
        stack: list[tuple[Schema, Resource, str]] = [(resource.contents, resource, resource.pointer)]
        while stack:
            schema, current, pointer = stack.pop()
            if not isinstance(schema, dict):
                continue
            current = self.inside(schema, current, pointer)
            current.scanned = True
            draft = current.draft
            if draft >= DRAFT2019:
                name = schema.get("$anchor")
                if isinstance(name, str):
                    current.anchors.setdefault(name, (schema, pointer))
                name = schema.get("$dynamicAnchor")
                if isinstance(name, str):
                    current.dynamic.setdefault(name, (schema, pointer))
            elif "$ref" not in schema:
                name = schema.get("id" if draft == DRAFT4 else "$id")
                if isinstance(name, str) and "#" in name:
                    current.anchors.setdefault(without_fragment(name)[1], (schema, pointer))
            stack += [(below, current, where) for below, where in subschemas(schema, pointer)]


def subschemas(schema: dict[str, Any], pointer: str) -> Iterator[tuple[Schema, str]]:
    """What may be a schema directly below another one, with its pointer."""
    for keyword, value in schema.items():
        holds = HOLDS.get(keyword, 0)
        if holds & ITSELF and isinstance(value, dict):
            yield value, f"{pointer}/{keyword}"
        elif holds & MEMBERS and isinstance(value, dict):
            for key, item in value.items():
                yield item, f"{pointer}/{keyword}/{escape(key)}"
        elif holds & ITEMS and isinstance(value, list):
            for i, item in enumerate(value):
                yield item, f"{pointer}/{keyword}/{i}"


def identifier(schema: dict[str, Any], draft: int) -> str | None:
    """The URI by which a schema names itself a resource, if it does."""
    name = schema.get("id" if draft == DRAFT4 else "$id")
    if not isinstance(name, str) or (draft < DRAFT2019 and "$ref" in schema):
        return None
    bare = without_fragment(name)[0]
    return bare or None


def without_fragment(uri: str) -> tuple[str, str]:
    """The URI without its fragment, and the fragment."""
    bare, _, fragment = uri.partition("#")
    return bare, fragment


def urljoin_any(base: str, reference: str) -> str:
    """`urljoin`, also for fragments of bases such as urn: that know no paths."""
    if not base or urlsplit(reference).scheme:
        return reference
    if reference.startswith("#"):
        return without_fragment(base)[0] + reference
    return urljoin(base, reference)
