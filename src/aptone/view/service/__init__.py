"""The service: operations over HTTP, with OpenAPI, batches, limits and metrics."""
