"""What a host answers, as far as commands read it."""

from __future__ import annotations

from typing import Any

ORG, ONE, NAME = "o" * 20, "i" * 20, "mine"
USER = {"id": "u" * 20, "displayName": "Ada", "email": "ada@example.com"}
RIGHTS = {"admin": True, "listMembers": True}
INTEGRATION = {
    "name": NAME,
    "title": "Mine",
    "version": 2,
    "visibility": "private",
    "scopes": ["space:content:read"],
    "blocks": [{"id": "counter", "title": "Counter"}],
    "contentSources": [{"id": "source"}],
    "configurations": {"account": {"componentId": "config"}},
    "contentSecurityPolicy": {"script-src": "'self'"},
    "runtime": "python",
    "target": "all",
    "urls": {
        "app": "https://host.example/app",
        "publicEndpoint": "http://HERE/endpoint",
        "location": "https://h.example",
    },
    "owner": {"id": ORG},
}
INSTALLATION = {
    "id": ONE,
    "status": "pending",
    "urls": {"app": "https://host.example/app"},
    "space_selection": "all",
    "site_selection": "selected",
}
PART = {"status": "active", "urls": {"app": "https://host.example/app"}}
VERSION = {
    "version": 2,
    "current": True,
    "restorable": True,
    "createdAt": "2026-01-01T00:00:00.000Z",
    "runtime": "python",
    "title": "Mine",
    "visibility": "private",
    "manifest": {"scopes": [], "blocks": [{"id": "counter"}]},
}
PAYLOAD = {
    "type": "fetch",
    "eventId": "e" * 20,
    "installationId": ONE,
    "request": {"method": "post", "url": "http://h/v1/integrations/mine/integration/x", "headers": {"a": "b"}},
}
EVENT = {
    "id": "e" * 20,
    "createdAt": "2026-01-01T00:00:00.000Z",
    "payload": PAYLOAD,
    "status": "failed",
    "delivery": {"state": "given-up", "attempts": 3, "answer": 500, "durationMs": 3.5, "nextAttemptAt": None},
}
DETAIL = {
    "event": EVENT,
    "trace": {
        "logs": [{"level": "info", "message": "hello"}],
        "subrequests": [
            {"method": "GET", "url": "https://a.example", "status": 200, "refused": None},
            {"method": "GET", "url": "https://b.example", "status": None, "refused": "private"},
        ],
        "fault": {"file": "a.py", "line": 3, "message": "no"},
        "unrecorded": 3,
        "usage": {"wallMs": 3, "memoryBytes": 4000},
        "limits": {"wallMs": 30000, "memoryBytes": 4000000},
    },
    "answer": {"status": 200, "bytes": 2, "headers": [["a", "b"]], "body": "ok"},
    "body": "sent",
}
SENT = {"events": ["e" * 20], "answer": {"status": 200, "body": "{}"}}
IMPORT = {
    "id": ONE,
    "status": "completed",
    "totalResources": 2,
    "importedResources": 2,
    "problems": ["a page was left out"],
    "revision": "r" * 20,
}
FILES = {
    "count": 2,
    "items": [
        {"path": "README.md", "size": 2, "text": "hi"},
        {"path": "a/b.png", "size": 2, "downloadURL": "http://HERE/file"},
    ],
}
TOKEN = {"id": "t" * 20, "current": True, "createdAt": "2026-01-01", "title": "Build", "expiresAt": "2027-01-01"}
ORGANIZATION = {"id": ORG, "title": "Ours", "hostname": "ours", "permissions": RIGHTS}
PLACE = {"id": "s" * 20, "title": "s", "urls": {"app": "http://h/app/s", "published": "http://h/s"}}
LOCKED = "/v1/spaces/" + "k" * 20
DRAFT = {"id": "c" * 20, "number": 7, "status": "draft", "urls": {"app": "http://h/app/c"}}
AT = f"/v1/integrations/{NAME}"
GOOD: dict[str, Any] = {
    "GET /v1": {"version": "1.0"},
    "GET /readyz": {"confinement": {"limits": "a", "why": "b", "buffers": True, "sandbox": True}, "origins": "own"},
    "GET /v1/user": USER,
    "GET /v1/user/tokens": {"items": [TOKEN]},
    "POST /v1/user/tokens": TOKEN | {"token": "dk_x"},
    "DELETE /v1/user/tokens/" + "t" * 20: {},
    "GET /v1/orgs": {"items": [ORGANIZATION]},
    f"GET /v1/orgs/{ORG}/spaces": {"items": [PLACE]},
    f"POST /v1/orgs/{ORG}/spaces": PLACE,
    f"GET /v1/orgs/{ORG}/sites": {"items": [PLACE]},
    f"POST /v1/orgs/{ORG}/sites": PLACE,
    f"POST /v1/orgs/{ORG}/sites/" + "s" * 20 + "/publish": PLACE,
    f"POST /v1/orgs/{ORG}/sites/" + "s" * 20 + "/unpublish": PLACE,
    f"POST /v1/orgs/{ORG}/sites/" + "s" * 20 + "/site-spaces": {"id": "p" * 20},
    f"GET /v1/orgs/{ORG}/sites/" + "s" * 20: PLACE,
    f"DELETE /v1/orgs/{ORG}/sites/" + "s" * 20: {},
    f"DELETE {LOCKED}": {},
    f"GET /v1/orgs/{ORG}/installations": {"items": [{"integration": {"name": NAME}, "installation": INSTALLATION}]},
    "GET /v1/integrations": {"items": [INTEGRATION]},
    f"GET {AT}": INTEGRATION,
    f"POST {AT}": INTEGRATION,
    f"DELETE {AT}": {},
    f"GET {AT}/dev": {"tunnelUrl": "http://HERE/tunnel", "connected": False},
    f"POST {AT}/rollback": INTEGRATION,
    f"GET {AT}/versions": {"items": [VERSION, VERSION | {"version": 1, "current": False}]},
    f"GET {AT}/installations/{ONE}": INSTALLATION,
    f"PATCH {AT}/installations/{ONE}": INSTALLATION,
    f"GET {AT}/installations/{ONE}/spaces": {"items": [PART | {"space": {"id": "s" * 20, "title": "Space"}}]},
    f"GET {AT}/installations/{ONE}/sites": {"items": [PART | {"site": {"id": "x" * 20, "title": "Site"}}]},
    f"POST {AT}/installations/{ONE}/spaces": {},
    f"DELETE {AT}/installations/{ONE}/spaces/" + "s" * 20: {},
    f"GET {AT}/events": {"items": [EVENT]},
    f"POST {AT}/events": SENT,
    f"GET {AT}/events/" + "e" * 20: DETAIL,
    f"GET {AT}/events/stream": DETAIL,
    "GET /v1/spaces/s": {"id": "s", "revision": "r" * 20},
    "GET /v1/spaces/s/revisions/" + "r" * 20 + "/folder": FILES,
    "POST /v1/spaces/s/imports": IMPORT | {"status": "pending"},
    f"GET /v1/spaces/s/imports/{ONE}": IMPORT,
    "GET /v1/spaces/s/content/path/guides/setup": {"id": "p" * 20},
    f"GET {LOCKED}": PLACE | {"id": "k" * 20, "revision": "r" * 20, "editMode": "locked"},
    f"GET {LOCKED}/change-requests/{DRAFT['id']}": DRAFT,
    f"POST {LOCKED}/change-requests/{DRAFT['id']}/update": {"result": "update"},
    f"POST {LOCKED}/change-requests": DRAFT,
    f"POST {LOCKED}/imports": IMPORT,
    f"POST {LOCKED}/change-requests/{DRAFT['id']}/merge": {"result": "merge", "revision": "r" * 20},
    f"PATCH {LOCKED}/change-requests/{DRAFT['id']}": DRAFT,
    "GET /file": {},
    "POST /endpoint/": {},
}
