import pytest

URL = "https://team.tracker.example.com/tickets/2"


def paste(integration, url):
    return integration.render("ticket", editable=True, action={"action": "@link.unfurl", "url": url})


def test_a_pasted_link_becomes_a_card(integration):
    page = paste(integration, URL)
    assert page.stored == {"number": "2", "url": URL}
    card = page.find("card")
    assert (card["title"], card["hint"]) == ("Pages load twice", "Ticket 2, done")
    assert page.click("Pages load twice").opened == [URL]
    assert integration.render("ticket", page.stored).tree == page.tree


@pytest.mark.parametrize("path", ["/", "/tickets/", "/tickets/x", "/tickets/1/edit"])
def test_another_address_stays_a_link(integration, path):
    with integration.refused("not the address of a ticket", 400):
        paste(integration, f"https://tracker.example.com{path}")


def test_a_ticket_that_is_gone_is_reported(integration):
    assert "There is no ticket 9" in integration.render("ticket", {"number": "9", "url": URL}).text
