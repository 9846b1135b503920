"""Blocks in blocks, tables and whole documents, as hypothesis draws them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.runtime.services.markdown.documents import (
    Node,
    block,
    codes,
    dividers,
    embeds,
    empty,
    file_blocks,
    files,
    fragment,
    headings,
    images,
    integrations,
    lengths,
    maths,
    metas,
    names,
    paragraph_of,
    paragraphs,
    pictures,
    pointers,
    refs,
    some,
    texts,
    unannotated,
    urls,
    words,
)

Blocks = st.SearchStrategy[Node]
one_empty = paragraph_of([empty])


def _items(blocks: Blocks, **data: Any) -> st.SearchStrategy[list[Node]]:
    item = st.builds(lambda nodes: block("list-item", {}, nodes), st.lists(blocks, min_size=1, max_size=3))
    return st.lists(item, min_size=1, max_size=3)


def _tasks(items: list[Node], checked: list[bool]) -> Node:
    for item, done in zip(items, checked, strict=False):
        item["data"] = {"checked": done}
        first = item["nodes"][0]
        if first["type"] != "paragraph" or first["data"]:
            item["nodes"] = [one_empty, *item["nodes"]]
    return block("list-tasks", {}, items)


def _lists(blocks: Blocks) -> Blocks:
    return st.one_of(
        _items(blocks).map(lambda items: block("list-unordered", {}, items)),
        st.builds(
            lambda items, data: block("list-ordered", data, items),
            _items(blocks),
            some(start=st.sampled_from([0, 2, 98, 123456])),
        ),
        st.builds(_tasks, _items(blocks), st.lists(st.booleans(), min_size=3, max_size=3)),
    )


leaf_essentials = paragraphs | headings | dividers
essentials = st.recursive(leaf_essentials, _lists, max_leaves=4)
quotes = st.recursive(
    st.lists(essentials, max_size=2).map(lambda nodes: block("blockquote", {}, nodes)),
    lambda inner: st.lists(inner | essentials, max_size=2).map(lambda nodes: block("blockquote", {}, nodes)),
    max_leaves=2,
)
hints = st.builds(
    lambda style, nodes: block("hint", {"style": style}, nodes),
    st.sampled_from(["info", "warning", "danger", "success"]),
    st.lists(essentials, max_size=2),
)

columns_by_type = {
    "number": (st.just({}), st.integers(-99, 99) | st.sampled_from([0.5, 12.25])),
    "checkbox": (st.just({}), st.booleans()),
    "rating": (st.integers(1, 9).map(lambda most: {"max": most}), st.integers(0, 9)),
    "files": (st.just({}), st.lists(names, max_size=2)),
    "users": (st.booleans().map(lambda many: {"multiple": many}), st.lists(names, max_size=2)),
    "select": (
        st.builds(
            lambda many, value: {"multiple": many, "options": [{"value": value, "label": value, "color": "red"}]},
            st.booleans(),
            texts,
        ),
        st.lists(texts, max_size=2),
    ),
    "content-ref": (st.just({}), refs),
    "image": (
        st.just({}),
        pictures
        | st.builds(
            lambda ref, more: {"ref": ref, **more}, pictures, some(objectFit=st.sampled_from(["cover", "contain"]))
        ),
    ),
}


@st.composite
def tables(draw: st.DrawFn) -> Node:
    """Draw a table: of text only, or of every type of column, as a grid or as cards."""
    plain = draw(st.booleans())
    kinds = draw(
        st.lists(st.just("text") if plain else st.sampled_from(["text", *columns_by_type]), min_size=1, max_size=3)
    )
    definition: dict[str, Node] = {}
    for place, kind in enumerate(kinds):
        more: Node = {"textAlignment": draw(st.sampled_from(["left", "center", "right"]))} if kind == "text" else {}
        if kind != "text":
            more = draw(columns_by_type[kind][0])
        elif not plain:
            more |= draw(some(verticalAlignment=st.sampled_from(["top", "middle", "bottom"])))
        definition[f"k{place}"] = {"id": f"k{place}", "title": draw(texts | st.just("")), "type": kind, **more}
    records: dict[str, Node] = {}
    fragments: list[Node] = []
    for number in range(draw(st.integers(0, 2))):
        values: Node = {}
        for name, column in definition.items():
            if column["type"] != "text":
                if draw(st.booleans()):
                    values[name] = draw(columns_by_type[column["type"]][1])
                continue
            nodes = draw(unannotated)
            if nodes:
                values[name] = f"f{number}{name}"
                held = [paragraph_of(nodes)]
                if not plain and draw(st.booleans()):
                    held.append(paragraph_of(draw(unannotated)))
                fragments.append({"object": "fragment", "fragment": values[name], "nodes": held})
        records[f"z{number}"] = {"orderIndex": f"{number}", "values": values}
    shown = list(definition)
    more = {}
    if not plain:
        shown = draw(st.permutations(shown))[: draw(st.integers(0, len(shown)))]
        more = draw(some(fullWidth=st.just(True)))
    view: Node = {"type": "grid", "columns": shown, "hideHeader": False}
    if not plain and draw(st.booleans()):
        some_column = st.sampled_from(list(definition))
        fields = some(
            targetDefinition=some_column,
            coverDefinition=some_column,
            coverDefinitionDark=some_column,
            hideColumnTitle=st.just(True),
        )
        size = draw(st.sampled_from(["medium", "large"]))
        view = {"type": "cards", "columns": shown, "cardSize": size, **draw(fields)}
    elif not plain:
        view["hideHeader"] = draw(st.booleans())
        view |= draw(some(useNewSizing=st.just(True), columnWidths=st.just({"k0": 120})))
    data = {"view": view, "records": records, "definition": definition, **more}
    return block("table", data, fragments=fragments)


content_refs = refs.map(lambda ref: block("content-ref", {"ref": ref}))
drawings = st.just(block("drawing", {})) | files.map(lambda ref: block("drawing", {"ref": ref}))
listed = st.one_of(codes, hints, quotes, maths, tables())
nested = st.recursive(leaf_essentials | listed, _lists, max_leaves=4)
stepped = st.one_of(
    nested.filter(lambda node: node["type"] != "table"),
    content_refs,
    embeds,
    file_blocks,
    images,
    drawings,
    integrations,
)
expanded = st.one_of(essentials, images, codes, tables(), hints, quotes)
reusables = st.builds(
    lambda ref, more: block("reusable-content", {"ref": ref}, **more),
    refs.filter(lambda ref: ref["kind"] == "reusable-content") | urls,
    st.just({}) | words.map(lambda token: {"meta": {"token": token}}),
)


def _parts(kind: str, part: str, blocks: Blocks, data: Blocks, more: Blocks, **fixed: Any) -> Blocks:
    one = st.builds(
        lambda nodes, data, more: block(part, data, nodes, **more), st.lists(blocks, max_size=2), data, more
    )
    own = st.just({}) if kind == "stepper" else some(fullWidth=st.booleans())
    return st.builds(lambda parts, data: block(kind, data, parts, **fixed), st.lists(one, max_size=2), own)


nothing = st.just({})
tabs = _parts("tabs", "tabs-item", stepped, some(title=texts), metas)
steppers = _parts("stepper", "stepper-step", stepped, some(icon=words), nothing)
columns = _parts(
    "columns",
    "column",
    st.one_of(stepped, tables()),
    some(width=lengths, verticalAlignment=st.sampled_from(["top", "middle", "bottom"])),
    nothing,
    isVoid=False,
)
expandables = st.builds(
    lambda title, body, more: block(
        "expandable", {}, fragments=[fragment("expandable-title", [title]), fragment("expandable-body", body)], **more
    ),
    unannotated.map(paragraph_of),
    st.lists(expanded, min_size=1, max_size=2),
    metas,
)
many = [nested, images, file_blocks, drawings, embeds, expandables, tabs, tables(), pointers, content_refs]
many += [integrations, reusables, steppers]
ifs = st.builds(
    lambda expression, nodes: block("if", {"expression": expression}, nodes),
    texts | st.just('visitor.claims.a == "b"'),
    st.lists(st.one_of(many), max_size=2),
)
blocks = st.lists(st.deferred(lambda: st.one_of(*many, columns, ifs)), max_size=3)


@st.composite
def documents(draw: st.DrawFn) -> Node:
    """Draw a document; as a function, so that hypothesis does not spell out all that it is made of."""
    return {"object": "document", "data": {}, "nodes": draw(blocks)}
