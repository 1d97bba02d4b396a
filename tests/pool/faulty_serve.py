"""The library's real process, which goes wrong where it is asked for the items of some seeds."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../scripts/reasoning_gym"))
import serve  # noqa: E402

item, score = serve.Library.item, serve.Library.score


def faulty_item(self, request):
    seed = request.get("seed")
    if seed == 1:
        time.sleep(3600)
    if seed == 2:
        os._exit(7)
    if seed == 3:
        os.kill(os.getpid(), 9)
    if seed == 4:
        os.write(replies, b"no json\n")
    if seed == 5:
        os.write(replies, b'{"id": 999, "question": "other", "answer": "1"}\n')
    if seed == 6:
        return {"question": 6, "answer": "1"}
    if seed == 7:
        os.write(replies, b"x" * (3 << 20))
        time.sleep(3600)
    if seed == 8:
        sys.stderr.write("last words\n")
        os._exit(1)
    if seed == 9:
        while True:
            pass
    if seed == 10:
        raise ValueError("the library raises")
    return item(self, request)


def faulty_score(self, request):
    worth = {11: "1", 12: float("nan"), 13: 7, 14: True, 15: None}
    return {"score": worth[request["seed"]]} if request.get("seed") in worth else score(self, request)


replies = os.dup(1)
serve.CPU_SECONDS = 1.0
serve.Library.item, serve.Library.score = faulty_item, faulty_score
serve.main()
