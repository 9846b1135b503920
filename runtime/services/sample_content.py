"""The pages that `sample` stands for, of new spaces and as a template (docs/contract/api.md, "Sites", "Content")."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.change_requests import InsertPage, PagePosition
from runtime.contract.identifiers import new_id
from runtime.contract.timestamps import wire_time
from runtime.services import change_requests, content, content_quota
from runtime.services.current_revision import set_current_revision
from runtime.services.editing import Editor
from runtime.services.markdown.reading import document_of
from runtime.store.content import revisions
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import now
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


LOCKED = "This space is locked: its content is edited in change requests. Set its editMode to `live` first."


def begin(session: Session, space: SpaceRow) -> RevisionRow:
    """Create the first revision of a new space, with a few pages."""
    editor = Editor(Snapshot(), wire_time(now()))
    _insert(editor)
    return revisions.write(session, space.id, editor.snapshot(), editor.documents.values(), id=space.revision_id)


def add(session: Session, at: Addresses, space: SpaceRow, user_id: str) -> None:
    """Add the pages behind those of a space.

    Raises PreconditionFailed for a locked space, BadRequest for one that is full.
    """
    change_requests.lock(session, space)
    if space.edit_mode == "locked":
        raise errors.PreconditionFailed(LOCKED)
    content_quota.for_revisions(session, space.id)
    content_quota.for_documents(session, space.id)
    before = content.current(session, space)
    editor = Editor(snapshot_of(session, before), wire_time(now()))
    _insert(editor)
    values: dict[str, Any] = {"type": "edits", "parents": [before.id], "user_id": user_id}
    made = revisions.write(session, space.id, editor.snapshot(), editor.documents.values(), before=before, **values)
    set_current_revision(session, at, space, made)


def _insert(editor: Editor) -> None:
    welcome, guides = _page("Welcome"), _group("Guides")
    editor.apply(welcome, document_of(WELCOME))
    editor.apply(guides)
    for title, text in (("Quickstart", QUICKSTART), ("Writing pages", WRITING)):
        editor.apply(_page(title, str(guides.id)), document_of(text))


def _page(title: str, parent: str | None = None) -> InsertPage:
    return InsertPage(type="insert_page", title=title, position=PagePosition(parent=parent))


def _group(title: str) -> InsertPage:
    return InsertPage(type="insert_page", page="group", id=new_id(), title=title)
