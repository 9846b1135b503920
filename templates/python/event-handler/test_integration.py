def test_new_content_is_reported_with_the_spaces_title(integration, api):
    api.answers("GET", "/v1/spaces/{id}", {"title": "Handbook"})
    result = integration.event("space_content_updated", revisionId="rev1")
    assert (result.status, result.logs) == (200, ["Handbook has a new revision, rev1"])


def test_only_bad_ratings_are_reported(integration):
    page = "https://docs.example.com/page"
    assert integration.event("page_feedback", url=page, feedback={"rating": "good"}).logs == []
    result = integration.event("page_feedback", url=page, feedback={"rating": "bad", "comment": "Too short"})
    assert result.logs == [f"{page} was rated bad: Too short"]


def test_only_the_first_setup_is_reported(integration):
    logs = integration.event("space_installation_setup", previous=None).logs
    assert logs == [f"installed on space {integration.space.id}"]
    assert integration.event("space_installation_setup", previous={"status": "paused"}).logs == []


def test_a_failure_is_answered_so_that_the_event_comes_again(integration, api):
    api.answers("GET", "/v1/spaces/{id}", {"error": {"code": 404, "message": "no such space"}}, status=404)
    assert integration.event("space_content_updated", check=False).status == 500
