"""What tests of integrations are written with: a pytest plugin that runs scripts in process, or in their engine."""
