import pytest


def screen(integration, **configuration):
    integration.configuration = configuration
    return integration.render("settings", context="configuration_account")


def test_it_begins_with_what_was_saved(integration):
    page = screen(integration, project="atlas", address="a@example.com", digest=False)
    assert page.state == {"project": "atlas", "address": "a@example.com", "digest": False}


@pytest.mark.parametrize(
    ("project", "address", "message"),
    [("", "a@b", "Choose a project"), ("nothing", "a@b", "Choose a project"), ("atlas", "a", "e-mail address")],
)
def test_what_is_missing_is_said(integration, project, address, message):
    page = screen(integration).select("Project", project).type("Send reports to", address)
    with integration.refused(message, 400):
        page.click("Save")


def test_saving_keeps_the_rest_of_the_configuration(integration):
    page = screen(integration, other=1)
    page.select("Project", "atlas").type("Send reports to", "a@example.com").switch("Weekly digest", False)
    assert page.click("Save").finished
    assert integration.configuration == {"other": 1, "project": "atlas", "address": "a@example.com", "digest": False}


def test_projects_are_found_by_what_was_typed(integration):
    response = integration.fetch("/projects", query={"q": "bor"})
    assert (response.status, response.json) == (200, {"items": [{"id": "borealis", "label": "Borealis"}]})
