def test_readers_uncover_the_answer(integration):
    page = integration.render("question", props={"question": "Why?", "answer": "*Because.*"})
    assert "Why?" in page.text and "Because" not in page.text
    assert "*Because.*" in page.click("Show the answer").text
    assert "Because" not in page.click("Hide").text


def test_editors_fill_in_the_fields(integration):
    page = integration.render("question", editable=True)
    page.type("Question", "Who?").type("Answer", "Me.").click("Save")
    assert page.stored == {"question": "Who?", "answer": "Me."}
