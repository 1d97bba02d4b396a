"""The one error class callers meet: what is wrong, why, what to do. Routes turn it into HTTP, futures into a result."""


class Refusal(Exception):
    def __init__(self, detail: str, status: int = 400, category: str = "user"):
        super().__init__(detail)
        self.detail, self.status, self.category = detail, status, category
