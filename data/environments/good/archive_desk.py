# skill: Data Retrieval
import random
from spade_env import ToolUseEnv


class ArchiveDeskEnv(ToolUseEnv):
    """Look things up in a small archive and file what was found."""

    AUTHORS = ["Moll", "Nadar", "Orsini", "Pell"]

    def reset(self, seed=None):
        rng = random.Random(seed)
        numbers = rng.sample(range(100, 1000), 10)
        books = {"B%d" % number: {"author": rng.choice(self.AUTHORS), "year": year, "pages": rng.randint(80, 900)}
                 for number, year in zip(numbers, rng.sample(range(1850, 2000), 10))}
        self.author = rng.choice([book["author"] for book in books.values()])
        theirs = {key: book for key, book in books.items() if book["author"] == self.author}
        self.oldest = min(theirs, key=lambda key: theirs[key]["year"])
        self.pages = sum(book["pages"] for book in theirs.values())
        self.longest = max(books, key=lambda key: books[key]["pages"])
        self.state = {"books": books, "reserved": [], "notes": {}, "sent": []}
        key = {"type": "string", "description": "number of a book, e.g. B007"}
        self.tools = [
            self.schema("find_books", "Numbers of the books of an author, or of all.", {"author": {"type": "string"}}, []),
            self.schema("read_card", "Author, year and pages of a book.", {"key": key}, ["key"]),
            self.schema("reserve", "Reserves a book.", {"key": key}, ["key"]),
            self.schema("write_note", "Files a number under a title.",
                        {"title": {"type": "string"}, "number": {"type": "integer"}}, ["title", "number"]),
            self.schema("send_up", "Sends a book to the reading room.", {"key": key}, ["key"]),
        ]
        self.instructions = [
            "Reserve the oldest book by %s, and nothing else." % self.author,
            "File the number of pages of all books by %s together under the title pages." % self.author,
            "Send the longest book of the whole archive to the reading room, and no other.",
        ]
        self.criteria = [
            lambda state: state["reserved"] == [self.oldest],
            lambda state: state["notes"].get("pages") == self.pages,
            lambda state: state["sent"] == [self.longest],
        ]
        return self.opening()

    @staticmethod
    def schema(name, description, properties, required):
        return {"type": "function", "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": required}}}

    def tool_find_books(self, author=None):
        found = [key for key, book in self.state["books"].items() if author in (None, book["author"])]
        return ", ".join(found) or "none"

    def tool_read_card(self, key):
        book = self.state["books"].get(key)
        return "%(author)s, %(year)d, %(pages)d pages" % book if book else "No card %s." % key

    def add(self, shelf, key):
        if key not in self.state["books"]:
            return "No book %s." % key
        if key not in self.state[shelf]:
            self.state[shelf].append(key)
        return "Noted."

    def tool_reserve(self, key):
        return self.add("reserved", key)

    def tool_send_up(self, key):
        return self.add("sent", key)

    def tool_write_note(self, title, number):
        self.state["notes"][title] = number
        return "Filed."

    def solution(self):
        return [{"name": "reserve", "arguments": {"key": self.oldest}}, "done",
                {"name": "write_note", "arguments": {"title": "pages", "number": self.pages}}, "done",
                {"name": "send_up", "arguments": {"key": self.longest}}, "done"]
