# skill: API Orchestration
import random
from spade_env import ToolUseEnv


def schema(name, description, **properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TEXT = {"type": "string"}


class StormAlertsEnv(ToolUseEnv):
    """Join the answers of three services: regions, forecasts, alerts."""

    TOWNS = ["Brel", "Corum", "Dask", "Ennis", "Fole", "Garm", "Holt", "Ivar", "Jarl", "Kemp"]

    def reset(self, seed=None):
        rng = random.Random(seed)
        towns = rng.sample(self.TOWNS, 8)
        regions = {"north": towns[:4], "south": towns[4:]}
        winds = dict(zip(towns, rng.sample(range(20, 120), 8)))
        self.region = rng.choice(["north", "south"])
        other = "south" if self.region == "north" else "north"
        self.strong = sorted(town for town in regions[self.region] if winds[town] > 60)
        self.calm = min(regions[other], key=winds.get)
        self.top = max(towns, key=winds.get)
        self.state = {"regions": regions, "winds": winds, "alerts": {}, "contact": None}
        self.tools = [
            schema("list_towns", "Towns of a region.", region={"type": "string", "enum": ["north", "south"]}),
            schema("get_forecast", "Wind of a town in km/h.", town=TEXT),
            schema("send_alert", "Sends an alert to a town.", town=TEXT, level={"type": "string", "enum": ["high", "calm"]}),
            schema("set_contact", "Names the town that coordinates.", town=TEXT),
        ]
        self.instructions = [
            "Send a high alert to each town of the %s region with wind above 60, and to no other town." % self.region,
            "Send a calm alert to the town of the %s region with the weakest wind." % other,
            "Make the town with the strongest wind of both regions the contact.",
        ]
        self.criteria = [
            lambda state: bool(state["alerts"]) and [t for t, level in sorted(state["alerts"].items()) if level == "high"] == self.strong,
            lambda state: [t for t, level in state["alerts"].items() if level == "calm"] == [self.calm],
            lambda state: state["contact"] == self.top,
        ]
        return self.opening()

    def tool_list_towns(self, region):
        return ", ".join(self.state["regions"][region])

    def tool_get_forecast(self, town):
        winds = self.state["winds"]
        return "%s: wind %d km/h" % (town, winds[town]) if town in winds else "No town is called %s." % town

    def tool_send_alert(self, town, level):
        if town not in self.state["winds"]:
            return "No town is called %s." % town
        self.state["alerts"][town] = level
        return "Sent."

    def tool_set_contact(self, town):
        if town not in self.state["winds"]:
            return "No town is called %s." % town
        self.state["contact"] = town
        return "Contact set."

    def solution(self):
        calls = [{"name": "send_alert", "arguments": {"town": town, "level": "high"}} for town in self.strong]
        return calls + ["done", {"name": "send_alert", "arguments": {"town": self.calm, "level": "calm"}}, "done",
                        {"name": "set_contact", "arguments": {"town": self.top}}, "done"]
