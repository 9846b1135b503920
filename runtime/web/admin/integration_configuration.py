"""Configuration of an installed integration: a form of its properties, or a screen that its script renders."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.api.render_lane import answer_of
from runtime.api.requests import parse_body, read_json
from runtime.contract import errors
from runtime.contract.rendering import DocumentContext, RenderIntegration
from runtime.store import rows
from runtime.store.tables.integrations import IntegrationRow
from runtime.web.admin.browser import OperatorVisit, add_answer, add_page
from runtime.web.admin.forms import NOTHING_REFUSED, Refused
from runtime.web.admin.integration_parts import KINDS
from runtime.web.admin.integrations import ONE, installation_in, path_to
from runtime.web.admin.paging import every
from runtime.web.admin.places import Object, about_the_form, organization_of, place
from runtime.web.admin.security_policies import with_pictures, with_screen

LONGEST_RENDER = 256 * 1024
SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def mount_integration_configuration(app: Flask, host: Host) -> None:
    """Add the pages, and what a screen is drawn by."""
    for at in (f"{ONE}/configuration", f"{ONE}/<any(spaces, sites):kind>/<part>/configuration"):
        add_page(app, host, at, _show, "GET")
        add_page(app, host, at, _save, "POST")
    add_answer(app, host, f"{ONE}/render", _render)


def _find(
    visit: OperatorVisit, organization: str, name: str, kind: str, part: str
) -> tuple[Object, Object, Object, Object]:
    """Return the integration, its installation, what is configured of it, and the screen; raises NotFound."""
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    installation = installation_in(visit, organization, name)
    word = KINDS[kind].word if kind else "account"
    configured = installation
    if kind:
        path = path_to(installation, name, **{KINDS[kind].key: part})
        configured = visit.do(KINDS[kind].get, path, query={"extended": "true"})
    schema = (integration.get("configurations") or {}).get(word)
    if schema is None:
        raise errors.NotFound("There is nothing to configure here.")
    return integration, installation, configured, schema


def _show(
    visit: OperatorVisit,
    organization: str,
    name: str,
    kind: str = "",
    part: str = "",
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    within = organization_of(visit, organization)
    if not within["permissions"]["installIntegration"]:
        raise errors.Forbidden("Administrators of the organization configure its integrations.")
    integration, installation, configured, schema = _find(visit, organization, name, kind, part)
    drawn = "componentId" in schema
    asks = drawn or any("completion_url" in declared for declared in schema["properties"].values())
    policy = with_screen(visit.host, name) if asks else with_pictures(visit.host)
    subject = configured[KINDS[kind].word] if kind else within
    return visit.page(
        "integration_configuration",
        refused.status,
        policy=policy,
        organization=within,
        here="integrations",
        at=place("orgs", organization, "integrations", name),
        integration=integration,
        kind=kind,
        subject=subject,
        state=configured["status"],
        where=request.path,
        screen=_screen(integration, installation, configured, kind, subject) | _specs(visit, organization)
        if drawn
        else None,
        fields=[] if drawn else _fields(visit, schema, configured),
        endpoint=configured["urls"]["publicEndpoint"],
        saved="saved" in request.args,
        problem=refused.message,
    )


def _screen(integration: Object, installation: Object, configured: Object, kind: str, subject: Object) -> Object:
    """Say what a screen is drawn of (docs/contract/contentkit.md, "Contexts"); no page has secrets in it."""
    word, schemas = KINDS[kind].word if kind else "account", integration["configurations"]
    schema = schemas[word]
    props = {"installation": {"configuration": _open(schemas.get("account"), installation["configuration"])}}
    if kind:
        props[f"{word}Installation"] = {"configuration": _open(schema, configured["configuration"])}
    key = KINDS[kind].key if kind else "organizationId"
    context = {"type": f"configuration_{word}", key: subject["id"]}
    return {"component": schema["componentId"], "props": json.dumps(props), "context": json.dumps(context)}


def _specs(visit: OperatorVisit, organization: str) -> Object:
    """Return what a select of OpenAPI specifications offers."""
    found = every(visit, "listOpenAPISpecs", {"organizationId": organization})
    return {"specs": json.dumps([{"id": spec["slug"], "label": spec["slug"]} for spec in found])}


def _open(schema: Object | None, configuration: Object) -> Object:
    """Remove values that a schema marks as secret."""
    properties = (schema or {}).get("properties", {})
    return {key: value for key, value in configuration.items() if not properties.get(key, {}).get("secret")}


def _fields(visit: OperatorVisit, schema: Object, configured: Object) -> list[Object]:
    """Return the fields of a form: what was typed last, else what is stored; of a secret only that it is there."""
    required, stored = schema.get("required", []), configured["configuration"]
    fields = []
    for key, declared in schema["properties"].items():
        secret = bool(declared.get("secret"))
        value = stored.get(key, declared.get("default"))
        if visit.form and declared["type"] != "button":
            value = visit.form.get(f"field-{key}", "")
        there = stored.get(key) not in (None, "")
        field = {
            "key": key,
            "required": key in required,
            "secret": secret,
            "there": there,
            "checked": value in (True, "yes"),
        }
        text = "" if secret or value is None or isinstance(value, bool | dict | list) else str(value)
        leads = {
            "link": _below(configured, declared.get("callback_url", "")),
            "suggestions": _below(configured, declared.get("completion_url", "")),
        }
        fields.append({**declared, **field, **leads, "value": text})
    return fields


def _below(configured: Object, url: str) -> str:
    """Return an address that a property names: one without a scheme is below the endpoint of what is configured."""
    if SCHEME.match(url):
        return url if url.lower().startswith(("https://", "http://")) else ""
    return f"{configured['urls']['publicEndpoint']}/{url.lstrip('/')}" if url else ""


def _save(visit: OperatorVisit, organization: str, name: str, kind: str = "", part: str = "") -> Response:
    """Store the values of the form; other values stay unchanged."""
    _, installation, configured, schema = _find(visit, organization, name, kind, part)
    try:
        configuration = {**configured["configuration"], **_read(visit.form, schema, configured["configuration"])}
        body = {"configuration": {key: value for key, value in configuration.items() if value is not None}}
        if kind:
            visit.do(KINDS[kind].update, path_to(installation, name, **{KINDS[kind].key: part}), body=body)
        else:
            visit.do("updateIntegrationInstallation", path_to(installation, name), body=body)
    except errors.ApiError as error:
        return _show(visit, organization, name, kind, part, about_the_form(error))
    return visit.to(f"{request.path}?saved")


def _read(form: dict[str, str], schema: Object, stored: Object) -> Object:
    """Read the values of a form; None takes one away. Raises BadRequest for what does not fit its property."""
    values: Object = {}
    required = schema.get("required", [])
    for key, declared in schema.get("properties", {}).items():
        if declared["type"] == "button":
            continue
        text = form.get(f"field-{key}", "")
        title = declared.get("title", key)
        if declared.get("secret") and not text:
            values[key] = None if form.get(f"forget-{key}") else stored.get(key)
        else:
            values[key] = _value(declared, text, title)
        if key in required and values[key] in (None, ""):
            raise _refused(f"{title} is needed.")
    return values


def _value(declared: Object, text: str, title: str) -> Any:
    if declared["type"] == "boolean":
        return text == "yes"
    if not text:
        return None
    if declared["type"] == "number":
        try:
            number = float(text)
        except ValueError:
            raise _refused(f"{title}: this is not a number.") from None
        if not math.isfinite(number):
            raise _refused(f"{title}: this is not a number.")
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if "enum" in declared and text not in declared["enum"]:
        raise _refused(f"{title}: choose one from the list.")
    return text.replace("\r\n", "\n")  # as browsers send what has several lines


def _refused(words: str) -> errors.BadRequest:
    """Return an error about a property, whose title may be what operations call a field of their own."""
    return errors.BadRequest(words, on_pages=words)


def _render(visit: OperatorVisit, organization: str, name: str) -> Response:
    """Draw a configuration screen as who is signed in, by the same way as the API does."""
    content = visit.host.capacity.read(
        visit.person().owner, lambda: read_json(request.environ, LONGEST_RENDER), again=visit.reauthenticate
    )
    reach = visit.person().reach
    wanted = parse_body(RenderIntegration, content)
    if isinstance(wanted.context, DocumentContext):
        raise errors.BadRequest("this page renders only configuration screens", field="context")
    basis = visit.host.database.basis()
    with visit.host.database.transaction(writes=False) as session:
        integration = rows.find(session, reach, IntegrationRow, name=name)
    if integration is None:
        raise errors.NotFound("There is no such integration, or you may not see it.")
    return answer_of(visit.host.renderer.render(reach, integration, wanted, basis)).response()
