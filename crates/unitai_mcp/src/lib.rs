//! MCP both ways: servers whose tools YAML tests call, and our own server.
