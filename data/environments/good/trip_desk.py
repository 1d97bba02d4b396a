# skill: Multi-Step Workflows
import random
from spade_env import ToolUseEnv


class TripDeskEnv(ToolUseEnv):
    """A journey in four stages, each of which needs what the one before gave."""

    CITIES = ["Lund", "Metz", "Narva", "Oulu"]

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.city = rng.choice(self.CITIES)
        numbers = rng.sample(range(100, 1000), 8)
        trains = {"T%d" % number: {"to": city, "price": price}
                  for number, city, price in zip(numbers, self.CITIES * 2, rng.sample(range(20, 200), 8))}
        rooms = {city: {name: rng.randint(40, 150) for name in ("Crown", "Swan", "Anchor")} for city in self.CITIES}
        mine = {key: train["price"] for key, train in trains.items() if train["to"] == self.city}
        self.train, self.room = min(mine, key=mine.get), min(rooms[self.city], key=rooms[self.city].get)
        self.total = mine[self.train] + rooms[self.city][self.room]
        self.state = {"trains": trains, "rooms": rooms, "seat": None, "room": None, "paid": None, "mailed": False}
        text = {"type": "string"}
        self.tools = [
            self.schema("find_trains", "Trains to a city with their prices.", city=text),
            self.schema("book_seat", "Books a seat in a train.", train=text),
            self.schema("find_rooms", "Hotels of a city with their prices.", city=text),
            self.schema("book_room", "Books a room; a seat to that city must be booked.", city=text, hotel=text),
            self.schema("pay", "Pays for seat and room; both must be booked.", amount={"type": "integer"}),
            self.schema("mail_ticket", "Mails the ticket of a journey that is paid."),
        ]
        self.instructions = [
            "Book a seat in the cheapest train to %s." % self.city,
            "Book a room in the cheapest hotel there.",
            "Pay exactly what seat and room cost together.",
            "Have the ticket mailed.",
        ]
        self.criteria = [
            lambda state: state["seat"] == self.train,
            lambda state: state["room"] == (self.city, self.room),
            lambda state: state["paid"] == self.total,
            lambda state: state["mailed"],
        ]
        return self.opening()

    @staticmethod
    def schema(name, description, **properties):
        return {"type": "function", "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": list(properties)}}}

    def tool_find_trains(self, city):
        found = ["%s for %d" % (key, train["price"]) for key, train in self.state["trains"].items() if train["to"] == city]
        return ", ".join(found) or "No trains to %s." % city

    def tool_book_seat(self, train):
        if train not in self.state["trains"]:
            return "No train %s." % train
        self.state["seat"] = train
        return "Seat booked."

    def tool_find_rooms(self, city):
        rooms = self.state["rooms"].get(city, {})
        return ", ".join("%s for %d" % room for room in rooms.items()) or "No hotels in %s." % city

    def tool_book_room(self, city, hotel):
        seat = self.state["seat"]
        if hotel not in self.state["rooms"].get(city, {}):
            return "No hotel %s in %s." % (hotel, city)
        if seat is None or self.state["trains"][seat]["to"] != city:
            return "First book a seat to %s." % city
        self.state["room"] = (city, hotel)
        return "Room booked."

    def tool_pay(self, amount):
        if self.state["seat"] is None or self.state["room"] is None:
            return "Nothing to pay yet."
        self.state["paid"] = amount
        return "Paid %d." % amount

    def tool_mail_ticket(self):
        if self.state["paid"] is None:
            return "Not paid yet."
        self.state["mailed"] = True
        return "Mailed."

    def solution(self):
        return [{"name": "book_seat", "arguments": {"train": self.train}}, "done",
                {"name": "book_room", "arguments": {"city": self.city, "hotel": self.room}}, "done",
                {"name": "pay", "arguments": {"amount": self.total}}, "done",
                {"name": "mail_ticket", "arguments": {}}, "done"]
