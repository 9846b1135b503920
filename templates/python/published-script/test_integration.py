def script(integration, **configuration):
    """Ask for the script as the platform does when a reader's browser loads it."""
    integration.site.configuration = configuration
    response = integration.published_script()
    assert (response.status, response.headers["content-type"]) == (200, "application/javascript")
    return response.text


def test_the_script_carries_the_sites_text(integration):
    assert script(integration, text=" We moved ").endswith('("We moved");\n')
    assert script(integration).endswith('("Welcome!");\n')


def test_a_text_cannot_become_code(integration):
    assert script(integration, text='"); alert(1); ("').endswith('("\\"); alert(1); (\\"");\n')


def test_without_a_text_there_is_no_script(integration):
    assert script(integration, text="") == "/** no-op */"
