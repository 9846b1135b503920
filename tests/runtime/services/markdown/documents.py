"""Documents as hypothesis draws them: every block, inline and mark, with texts that mean something in Markdown."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Node = dict[str, Any]

PIECES = [
    "{%",
    "{% endhint %}",
    "|",
    "`",
    "```",
    "$$",
    "$",
    "<",
    "</td>",
    "<b>",
    "[^1]",
    "[^1]: ",
    "#",
    "1.",
    "1)",
    "-",
]
PIECES += ["+", "*", "_", "~~", "  ", " ", "\n", "\\", "&amp;", "&", "&#x20;", ":rocket:", ":", "!", "[", "]", "(", ")"]
PIECES += [
    "[x] ",
    "[a](b)",
    "<script>",
    "</details>",
    "\t",
    "a",
    "é",
    "word",
    "=",
    ">",
    "---",
    "\u00a0",
    "x_y",
    '"',
    "'",
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), min_size=1, max_size=6).map("".join)
lines = texts.map(lambda text: text.replace("\n", " ").replace("\r", " "))
words = st.sampled_from(["a", "b1", "some-id", "x.y"])
names = st.text("abcdefgh/#? %é", min_size=1, max_size=6)

COLORS = st.sampled_from(["default", "green", "red", "$primary", "$danger"])
plain_marks = st.sampled_from(["bold", "italic", "code", "keyboard", "strikethrough", "superscript", "subscript"]).map(
    lambda kind: {"object": "mark", "type": kind}
)
color_marks = st.builds(
    lambda text, back: {"object": "mark", "type": "color", "data": {"text": text, "background": back}}, COLORS, COLORS
)
marks = st.lists(plain_marks | color_marks, max_size=3, unique_by=lambda mark: mark["type"])
leaves = st.builds(lambda text, marks: {"object": "leaf", "text": text, "marks": marks}, texts, marks)
text_nodes = st.lists(leaves, min_size=1, max_size=4).map(lambda leaves: {"object": "text", "leaves": leaves})
empty = {"object": "text", "leaves": [{"object": "leaf", "text": "", "marks": []}]}


def block(kind: str, data: Node, nodes: list[Node] | None = None, **more: Any) -> Node:
    inside = {"isVoid": True} if nodes is None else {"nodes": nodes}
    return {"object": "block", "type": kind, "data": data, **inside, **more}


def inline(kind: str, data: Node, nodes: list[Node] | None = None, **more: Any) -> Node:
    return {**block(kind, data, nodes, **more), "object": "inline"}


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Node]:
    return st.fixed_dictionaries({}, optional=fields)


def fragment(kind: str, nodes: list[Node]) -> Node:
    return {"object": "fragment", "fragment": kind, "type": kind, "nodes": nodes}


def ref(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Node]:
    return st.fixed_dictionaries({"kind": st.just(kind), **fields})


urls = ref(
    "url",
    url=st.sampled_from(
        ["https://a.example/x?a=1&copy=2#y", "a b.md", "/pages/x", "mailto:a@b", "", "x(y)<z>\\", "../a.md"]
    )
    | names,
)
files = ref("file", file=names)
openapi = ref("openapi", spec=words)
refs = st.one_of(
    urls,
    files,
    ref("page", page=names),
    ref("page", page=names, space=names),
    ref("anchor", anchor=names),
    ref("anchor", anchor=names, page=names, space=names),
    ref("anchor", anchor=names, space=names),
    ref("user", user=names),
    ref("collection", collection=names),
    ref("space", space=names),
    ref("reusable-content", reusableContent=names),
    ref("reusable-content", reusableContent=names, space=names),
    openapi,
)
pictures = urls | files

inline_images = st.builds(
    lambda ref, more: inline("inline-image", {"ref": ref, **more}),
    pictures,
    some(refDark=pictures, caption=texts, alt=texts, size=st.sampled_from(["original", "line"])),
)
links = st.builds(
    lambda ref, nodes: inline("link", {"ref": ref}, nodes), refs, st.lists(text_nodes | inline_images, max_size=2)
)
emoji = st.sampled_from(["1f600", "1f680", "2764", "1f1e9-1f1ea", "26a0"]).map(
    lambda code: inline("emoji", {"code": code})
)
expressions = texts.map(lambda text: inline("expression", {"expression": text}))
void_inlines = st.one_of(
    emoji,
    inline_images,
    expressions,
    words.map(lambda name: inline("icon", {"icon": name.replace(".", "-")})),
    texts.map(lambda formula: inline("inline-math", {"formula": formula})),
    refs.map(lambda ref: inline("mention", {"ref": ref})),
    st.builds(
        lambda label, kind, ref, more: inline("button", {"label": label, "kind": kind, "ref": ref, **more}),
        texts,
        st.sampled_from(["primary", "secondary"]),
        refs,
        some(icon=words),
    ),
)
unannotated = st.lists(st.one_of(text_nodes, void_inlines, links), max_size=4)


def paragraph_of(nodes: list[Node], **data: Any) -> Node:
    return block("paragraph", data, nodes or [empty])


notes = unannotated.map(paragraph_of) | lines.map(
    lambda text: block("code", {}, [block("code-line", {}, [{"object": "text", "leaves": [leaf(text)]}])])
)


def leaf(text: str) -> Node:
    return {"object": "leaf", "text": text, "marks": []}


annotations = st.builds(
    lambda nodes, body: inline("annotation", {}, nodes, fragments=[fragment("annotation-body", body)], isVoid=False),
    st.lists(text_nodes, max_size=1),
    st.lists(notes, min_size=1, max_size=2),
)
inlines = st.lists(st.one_of(text_nodes, text_nodes, void_inlines, links, annotations), max_size=4)
aligns = some(align=st.sampled_from(["start", "center", "end"]))
metas = some(meta=st.fixed_dictionaries({"id": words}))

paragraphs = st.builds(lambda nodes, data: paragraph_of(nodes, **data), inlines, aligns)
simple_paragraphs = inlines.map(paragraph_of)
headings = st.builds(
    lambda level, nodes, data, name, more: block(f"heading-{level}", {**data, **name}, nodes or [empty], **more),
    st.integers(1, 3),
    inlines,
    aligns,
    some(id=st.sampled_from(["a", "some-id", "x.y+z"])),
    metas,
)
dividers = st.just(block("divider", {}))
plain_lines = lines.map(lambda text: block("code-line", {}, [{"object": "text", "leaves": [leaf(text)]}]))
marked_lines = st.builds(
    lambda nodes, data: block("code-line", data, nodes or [empty]),
    st.lists(lines.map(lambda text: {"object": "text", "leaves": [leaf(text)]}) | expressions, max_size=2),
    some(highlighted=st.just(True)),
)
codes = st.builds(
    lambda lines, data: block("code", data, lines),
    st.lists(plain_lines, min_size=1, max_size=3) | st.lists(marked_lines, min_size=1, max_size=3),
    some(
        syntax=st.sampled_from(["python", "c++", "a b", "{js}"]),
        title=texts,
        overflow=st.sampled_from(["scroll", "wrap"]),
        lineNumbers=st.booleans(),
        fullWidth=st.booleans(),
    ),
)
maths = texts.map(lambda formula: block("math", {"formula": formula}))
lengths = st.integers(0, 900) | st.builds(
    lambda unit, value: {"unit": unit, "value": value}, st.sampled_from(["%", "px"]), st.integers(0, 100)
)
captions = st.lists(simple_paragraphs, max_size=2).map(lambda nodes: [fragment("caption", nodes)] if nodes else [])
filled = st.lists(text_nodes, min_size=1, max_size=2).map(paragraph_of)
images = st.builds(
    lambda images, data: block("images", data, images, isVoid=False),
    st.lists(
        st.builds(
            lambda ref, more, caption: {**block("image", {"ref": ref, **more}), "fragments": caption},
            pictures,
            some(refDark=pictures, width=lengths, height=lengths, alt=texts),
            st.lists(filled, max_size=2).map(lambda nodes: [fragment("caption", nodes)] if nodes else []),
        ),
        min_size=1,
        max_size=2,
    ),
    some(align=st.sampled_from(["left", "center", "right"]), fullWidth=st.booleans(), withFrame=st.booleans()),
)
caption = st.lists(simple_paragraphs, min_size=1, max_size=2).map(
    lambda nodes: {"fragments": [fragment("caption", nodes)]}
)
embeds = st.builds(
    lambda url, data, more: block("embed", {"url": url, **data}, **more),
    st.sampled_from(["https://a.example/?x=1&amp=2", "x%}y"]),
    some(fullWidth=st.booleans()),
    st.just({}) | caption,
)
file_blocks = st.builds(lambda ref, more: block("file", {"ref": ref}, **more), files, st.just({}) | caption)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
integrations = st.builds(
    lambda props, data: block("integration", {"integration": "mermaid", "block": "diagram", "props": props, **data}),
    st.dictionaries(st.sampled_from(["content", "n", "data-url", "a b", "x.y"]), json_values, max_size=3),
    some(url=st.just("https://a.example/"), fullWidth=st.booleans(), action=st.just({"action": "@x"})),
)
pointers = st.one_of(
    st.builds(
        lambda spec, path, more: block("openapi-operation", {"ref": spec, "path": path, "method": "get"}, **more),
        openapi,
        texts,
        metas,
    ),
    st.builds(
        lambda spec, name, more: block("openapi-webhook", {"ref": spec, "name": name, "method": "post"}, **more),
        openapi,
        texts,
        metas,
    ),
    st.builds(
        lambda spec, names, data: block("openapi-schemas", {"ref": spec, "schemas": names, **data}),
        openapi,
        st.lists(texts, max_size=3),
        some(grouped=st.booleans()),
    ),
    st.builds(
        lambda ref, data: block("swagger", {"ref": ref, "path": "/a", "method": "get", **data}),
        pictures,
        some(expanded=st.booleans(), fullWidth=st.booleans()),
    ),
)
