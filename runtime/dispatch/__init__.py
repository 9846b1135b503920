"""Events: who gets them, when, how often again."""
