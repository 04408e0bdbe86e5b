"""Starts the API for each test, and ends it after the test, however that went."""

from threading import Thread

import api

from unitai.llm import LLMPlugin


class ShopPlugin(LLMPlugin):
    """The tool `shop_start`."""

    name = "shop"
    server = None

    def start(self) -> dict:
        """Starts a fresh shop; gives its address."""
        self.server = api.Shop()
        Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return {"url": self.server.url}

    def cleanup(self) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
