"""ToolUseEnv as a program sees it, and the facts that parse and program report. No wall is needed."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from runner import contract, parse, program  # noqa: E402
from spade_env import ToolUseEnv, boxed, mismatch  # noqa: E402


def schema(name, required=(), **properties):
    return {"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": properties, "required": list(required)}}}


class ShelfEnv(ToolUseEnv):
    def reset(self, seed=None):
        self.state = {"shelf": []}
        self.tools = [schema("put", ["thing"], thing={"type": "string"}, count={"type": "integer"})]
        self.instructions = ["Put a cup.", "Put a jar."]
        self.criteria = [lambda state: "cup" in state["shelf"], lambda state: state["shelf"][1] == "jar"]
        return self.opening()

    def tool_put(self, thing, count=1):
        self.state["shelf"] += [thing] * count
        return "%d things" % len(self.state["shelf"])


class ToolUse(unittest.TestCase):
    def setUp(self):
        self.env = ShelfEnv(max_turns=6)
        self.text, self.info = self.env.reset(0)

    def test_instructions_come_one_at_a_time(self):
        self.assertEqual(self.text, "Instruction 1 of 2: Put a cup.")
        text, reward, over, out, info = self.env.answer("whatever")
        self.assertTrue(text.startswith("Instruction 2 of 2: Put a jar."))
        self.assertEqual((reward, over, out, info), (0.0, False, False, {"instruction": 1}))

    def test_success_needs_every_criterion_and_done(self):
        for shelf, word, reward in ((["cup", "jar"], "done", 1.0), (["cup", "jar"], ' "Done." ', 1.0),
                                    (["cup", "jar"], "finished", 0.0), (["cup"], "done", 0.0), ([], "done", 0.0)):
            self.env.reset(0)
            for thing in shelf:
                self.env.call("put", {"thing": thing})
            self.env.answer("done")
            self.assertEqual(self.env.answer(word)[1:3], (reward, True), (shelf, word))

    def test_a_criterion_that_raises_is_not_met(self):
        self.assertEqual(self.env.met(), [False, False])

    def test_wrong_calls_are_messages(self):
        for name, arguments, said in (
                ("push", {}, "Unknown tool 'push'. Tools: put."),
                ("put", {}, "thing is missing"),
                ("put", {"thing": 7}, "thing must be string, is 7"),
                ("put", {"thing": "cup", "count": True}, "count must be integer, is true"),
                ("put", {"thing": "cup", "where": "here"}, "unexpected keyword argument 'where'"),
                ("put", [], "must be an object")):
            text, info = self.env.call(name, arguments)
            self.assertIn(said, text)
            self.assertEqual(info, {})
        self.assertEqual(self.env.state, {"shelf": []})
        self.assertEqual(self.env.turns, 6)

    def test_every_turn_counts(self):
        for _ in range(5):
            self.env.call("put", {"thing": "cup"})
        self.assertEqual(self.env.answer("done")[3], True)

    def test_step_takes_a_boxed_call_or_an_answer(self):
        text, reward, over, out, _ = self.env.step('\\boxed{{"name": "put", "arguments": {"thing": "cup"}}}')
        self.assertEqual((text, reward, over, out), ("1 things", 0.0, False, False))
        self.assertTrue(self.env.step("\\boxed{done}")[0].startswith("Instruction 2"))

    def test_mismatch_looks_inside(self):
        nested = {"type": "array", "items": {"type": "object", "properties": {"x": {"enum": [1, 2]}}, "required": ["x"]}}
        self.assertIsNone(mismatch([{"x": 1}], nested, "arguments"))
        self.assertEqual(mismatch([{"x": 3}], nested, "list"), "list[0].x must be one of [1, 2]")
        self.assertEqual(mismatch([{}], nested, "list"), "list[0].x is missing")
        self.assertIsNone(mismatch("x", {"type": ["string", "null"]}, "arguments"))

    def test_boxed(self):
        self.assertEqual(boxed("\\boxed{1} \\boxed{a{b}}"), "a{b}")


SOURCE = '''class BoxEnv(ToolUseEnv):
    def reset(self, seed=None):
        self.tools = [{"name": "put"}, {"name": "gone"}]
        self.instructions, self.criteria, self.state = ["a"], [lambda s: s["x"], lambda s: True], {}
        return self.opening()

    def tool_put(self, thing, count=1, **more):
        return thing
'''


class Requests(unittest.TestCase):
    def test_program_answers_the_requests_of_tool_use(self):
        import builtins
        running = program.Program(SOURCE, 9, dict(vars(builtins), ToolUseEnv=ToolUseEnv))
        self.assertEqual(sorted(running.operations()), sorted("reset step tools call answer criteria solution".split()))
        running.reset({"seed": 1})
        facts = running.tools({})
        self.assertEqual(facts["signatures"], {
            "put": {"names": ["thing", "count"], "required": ["thing"], "variadic": True}, "gone": None})
        self.assertEqual((facts["instructions"], facts["criteria"]), (1, 2))
        self.assertEqual(running.criteria({}), {"criteria": ["KeyError: 'x'", True]})
        self.assertEqual(running.call({"name": "put", "arguments": {"thing": "cup"}}), {"observation": "cup", "info": {}})
        self.assertEqual(running.answer({"text": "done"})["terminated"], True)
        self.assertEqual(running.solution({}), {"solution": None})

    def test_a_game_has_no_tools(self):
        import builtins
        running = program.Program("class GameEnv:\n    pass\n", None, dict(vars(builtins)))
        self.assertEqual(running.tools({}), {"tools": None})

    def test_tools_that_may_not_cross(self):
        for value, path in (("x", "tools: is str"), ([1], "tools[0]: is int"), ([{}] * 65, "tools: is 65")):
            with self.assertRaisesRegex(contract.Violation, "^" + path.replace("[", "\\[").replace("]", "\\]")):
                contract.tools_value(value)


class Details(unittest.TestCase):
    def test_code_leaves_out_strings_and_comments(self):
        source = 'x = 1  # note\ny = "text" + f"{x} more" + x\n"""doc\nstring"""\nz = 2\n'
        self.assertEqual(parse.parse(source, True)["code"], ["x = 1", "y =", "+", "+ x", "z = 2"])

    def test_shingles_change_only_near_what_changed(self):
        lines = ["a%d = f(%d, b) + [c, d][%d]\n" % (i, i, i) for i in range(60)]
        one = set(parse.parse("".join(lines), True)["shingles"])
        other = set(parse.parse("".join(["new = 1\n"] + lines), True)["shingles"])
        self.assertGreater(len(one & other) / len(one | other), 0.95)
        self.assertNotIn("shingles", parse.parse("x = 1\n"))


if __name__ == "__main__":
    unittest.main()
