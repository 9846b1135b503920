"""The span of a request ends with its answer, also with one that nobody reads."""

from __future__ import annotations

from opentelemetry.sdk.trace import TracerProvider

from runtime.dispatch.tracing import RequestSpan


def test_an_answer_that_is_closed_before_it_is_read_is_closed_all_the_way() -> None:
    span = TracerProvider().get_tracer("test").start_span("request")
    closed: list[bool] = []

    class Body(list[bytes]):
        def close(self) -> None:
            closed.append(True)

    answer = RequestSpan(span, None).until_read(Body([b"a", b"b"]))
    assert list(answer) == [b"a", b"b"] and span.is_recording()
    for _ in range(2):
        answer.close()  # type: ignore[attr-defined]
    assert closed == [True] and not span.is_recording()
