# skill: State Modification
import random
from spade_env import ToolUseEnv


class StockMovesEnv(ToolUseEnv):
    """Bring a small warehouse from one state into another."""

    ITEMS = ["bolts", "cable", "paint", "tiles"]
    PLACES = ["dock", "hall", "yard"]

    def reset(self, seed=None):
        rng = random.Random(seed)
        stock = {place: {item: rng.randint(4, 30) for item in self.ITEMS} for place in self.PLACES}
        item, other, third = rng.sample(self.ITEMS, 3)
        self.item, self.other, self.third = item, other, third
        self.amount = rng.randint(2, stock["dock"][item])
        hall, yard = stock["hall"][item] + self.amount, stock["yard"][other]
        self.scrapped = rng.randint(1, stock["hall"][third])
        rest = stock["hall"][third] - self.scrapped
        self.state = {"stock": stock}
        place = {"type": "string", "enum": self.PLACES}
        thing = {"type": "string", "enum": self.ITEMS}
        count = {"type": "integer", "minimum": 1}
        self.tools = [
            self.schema("count_items", "How many of an item lie at a place.", {"item": thing, "place": place}),
            self.schema("move_items", "Moves items.", {"item": thing, "origin": place, "target": place, "amount": count}),
            self.schema("scrap_items", "Throws items away.", {"item": thing, "place": place, "amount": count}),
        ]
        self.instructions = [
            "Move %d %s from the dock to the hall." % (self.amount, item),
            "Empty the yard of %s: all of it goes to the dock." % other,
            "Throw away %d %s from the hall." % (self.scrapped, third),
        ]
        self.criteria = [
            lambda state: state["stock"]["hall"][item] == hall,
            lambda state: state["stock"]["yard"][other] == 0 and sum(state["stock"][p][other] for p in self.PLACES) == self.total,
            lambda state: state["stock"]["hall"][third] == rest,
        ]
        self.total, self.yard = sum(stock[p][other] for p in self.PLACES), yard
        return self.opening()

    @staticmethod
    def schema(name, description, properties):
        return {"type": "function", "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": list(properties)}}}

    def tool_count_items(self, item, place):
        return "%d %s at the %s" % (self.state["stock"][place][item], item, place)

    def tool_move_items(self, item, origin, target, amount):
        stock = self.state["stock"]
        if stock[origin][item] < amount:
            return "Only %d there." % stock[origin][item]
        stock[origin][item] -= amount
        stock[target][item] += amount
        return "Moved."

    def tool_scrap_items(self, item, place, amount):
        stock = self.state["stock"]
        if stock[place][item] < amount:
            return "Only %d there." % stock[place][item]
        stock[place][item] -= amount
        return "Thrown away."

    def solution(self):
        def move(item, origin, target, amount):
            return {"name": "move_items", "arguments": {"item": item, "origin": origin, "target": target, "amount": amount}}

        return [move(self.item, "dock", "hall", self.amount), "done", move(self.other, "yard", "dock", self.yard), "done",
                {"name": "scrap_items", "arguments": {"item": self.third, "place": "hall", "amount": self.scrapped}}, "done"]
