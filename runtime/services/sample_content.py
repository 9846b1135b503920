"""The pages of a new space that is created with `sample` (docs/contract/api.md, "Sites")."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.services.markdown.reading import document_of
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

WELCOME = """
This page, and those below, are examples: change them, or delete them.

{% hint style="info" %}
Everything here can be edited in a change request, and appears on the site once that is merged.
{% endhint %}

## Where to begin

1. Open the quickstart, and write down what a new reader does first.
2. Add a page for each question that comes up again and again.
3. Install integrations: many add blocks to use in pages.
"""
QUICKSTART = """
A quickstart has few steps, and says what a reader sees after each.

{% tabs %}
{% tab title="Python" %}
```python
print("Hello")
```
{% endtab %}
{% tab title="JavaScript" %}
```js
console.log("Hello");
```
{% endtab %}
{% endtabs %}
"""
WRITING = """
| Block | For |
| --- | --- |
| Hint | what a reader must not miss |
| Table | what is compared |
| Tabs | the same in several languages |

- [x] Say what the page is about in its first sentence
- [ ] Link to what comes next
"""


def begin(session: Session, space: SpaceRow) -> RevisionRow:
    """Create the first revision of a new space, with a few pages."""
    guides = Page(new_id(), type="group", title="Guides", slug="guides")
    pages, documents = [], []
    for title, slug, text, parent in (
        ("Welcome", "welcome", WELCOME, None),
        ("Quickstart", "quickstart", QUICKSTART, guides),
        ("Writing pages", "writing-pages", WRITING, guides),
    ):
        document = document_of(text)
        documents.append(document)
        pages.append(
            Page(
                new_id(),
                title=title,
                slug=slug,
                document=revisions.name_of(document),
                parent=parent.id if parent is not None else None,
            )
        )
    pages.insert(1, guides)
    return revisions.write(session, space.id, Snapshot(pages=pages), documents, id=space.revision_id)
