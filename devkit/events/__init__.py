"""Events and requests for integrations: made, checked, signed, sent, followed and written down."""
