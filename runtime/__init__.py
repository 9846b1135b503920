"""The host: app, web, api, services, dispatch, engines and store, contract and sdk, from top to bottom."""
