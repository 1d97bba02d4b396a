# skill: Error Recovery
import random
from spade_env import ToolUseEnv


class StubbornOrdersEnv(ToolUseEnv):
    """Orders that fail for a reason which must be read, removed and tried again."""

    def reset(self, seed=None):
        rng = random.Random(seed)
        first, second, third = ["O%d" % number for number in rng.sample(range(100, 1000), 3)]
        self.orders, self.session = (first, second, third), "s%d" % rng.randint(10, 99)
        self.token = "t%d" % rng.randint(1000, 9999)
        self.limit = rng.randint(3, 9)
        self.state = {"orders": {key: {"state": "open", "amount": self.limit + rng.randint(1, 9)} for key in self.orders},
                      "locks": {first: self.session}, "token": None}
        key = {"type": "string"}
        self.tools = [
            self.schema("ship_order", "Ships an order.", {"order": key, "token": key}, ["order"]),
            self.schema("release_lock", "Ends the session that holds an order.", {"order": key, "session": key}, ["order", "session"]),
            self.schema("new_token", "Gives a fresh token.", {}, []),
            self.schema("set_amount", "Changes the amount of an order.", {"order": key, "amount": {"type": "integer", "minimum": 1}},
                        ["order", "amount"]),
        ]
        self.instructions = ["Ship order %s with %d pieces." % (key, self.limit) for key in self.orders]
        self.criteria = [self.shipped(key) for key in self.orders]
        return self.opening()

    def shipped(self, key):
        return lambda state: state["orders"][key] == {"state": "shipped", "amount": self.limit}

    @staticmethod
    def schema(name, description, properties, required):
        return {"type": "function", "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": required}}}

    def tool_ship_order(self, order, token=None):
        found = self.state["orders"].get(order)
        if found is None:
            return "ERROR 404: no order %s" % order
        if found["state"] == "shipped":
            return "ERROR 409: already shipped"
        if order in self.state["locks"]:
            return "ERROR 423: locked by session %s" % self.state["locks"][order]
        if token is None or token != self.state["token"]:
            return "ERROR 401: a valid token is missing"
        if found["amount"] > self.limit:
            return "ERROR 422: amount is %d, at most %d can be shipped" % (found["amount"], self.limit)
        found["state"] = "shipped"
        return "shipped"

    def tool_release_lock(self, order, session):
        if self.state["locks"].get(order) != session:
            return "ERROR 404: no such lock"
        del self.state["locks"][order]
        return "released"

    def tool_new_token(self):
        self.state["token"] = self.token
        return "token %s" % self.token

    def tool_set_amount(self, order, amount):
        found = self.state["orders"].get(order)
        if found is None or found["state"] == "shipped":
            return "ERROR 404: no open order %s" % order
        found["amount"] = amount
        return "amount is now %d" % amount

    def solution(self):
        steps = [{"name": "new_token", "arguments": {}},
                 {"name": "release_lock", "arguments": {"order": self.orders[0], "session": self.session}}]
        for order in self.orders:
            steps += [{"name": "set_amount", "arguments": {"order": order, "amount": self.limit}},
                      {"name": "ship_order", "arguments": {"order": order, "token": self.token}}, "done"]
        return steps
