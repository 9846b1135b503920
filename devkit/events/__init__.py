"""Events and requests for integrations: creates, validates, signs, sends, follows and records them."""
