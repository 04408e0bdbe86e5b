"""The shape of a structured answer. Apart, because pydantic comes with the SDKs only."""

from __future__ import annotations

from pydantic import BaseModel


class Order(BaseModel):
    order_id: str
    items: int
