"""The process that a project's plugins live in: `python -m unitai.llm.host <root>`. It speaks MCP over its standard
streams, so that a plugin which hangs can be killed, and one that prints breaks nothing.

`streams.py` (what goes in and out), `protocol.py` (requests and answers), `stage.py` (the instances of a test),
`loading.py` (files become classes), `values.py` (results become JSON), `nudging.py` (a tool that blocks all others),
`ending.py` (how it ends).
"""
