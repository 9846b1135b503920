import pytest


@pytest.fixture
def glossary(integration):
    return integration.content_source("glossary")


def test_every_page_that_is_listed_can_be_read(glossary):
    (group,) = glossary.revision({"title": "Words"})["pages"]
    assert (group["title"], len(group["pages"])) == ("Words", 3)
    for page in group["pages"]:
        assert page["computed"]["type"] == "integration:my-integration:glossary"
        assert "## See also" in glossary.document(page["computed"]["props"])["markdown"]


def test_a_term_that_is_gone_is_reported(integration, glossary):
    with integration.refused("There is no such term any more", 404):
        glossary.document({"term": "gone"})


def test_the_screen_returns_the_properties_of_the_source(integration):
    props = {"contentSource": {"props": {"title": "Words"}, "dependencies": {}}, "submitLabel": "Change"}
    page = integration.render("setup", props, context="configuration_contentsource")
    assert page.state == {"title": "Words"}
    with integration.refused("Give the group a title"):
        page.type("Title of the group", "").click("Change")
    assert page.type("Title of the group", " Terms ").click("Change").finished
    assert page.returned == {"props": {"title": "Terms"}, "dependencies": {}}
