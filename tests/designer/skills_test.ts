import assert from "node:assert/strict";
import { chooseSkills, loadSkills } from "../../lib/designer/mod.ts";
import yaml from "../../data/skills.yaml" with { type: "text" };

const entry = "{name: A, family: game, description: d, difficulty: medium, ideas: [i]}";

Deno.test("loadSkills() reads the nine game skills and six tool-use skills", () => {
  const skills = loadSkills(yaml);
  const count = (family: string) => skills.filter((skill) => skill.family === family).length;
  assert.deepEqual([count("game"), count("tool-use")], [9, 6]);
  assert.equal(skills[0].name, "Pattern Recognition");
});

Deno.test("loadSkills() names what is wrong", () => {
  assert.throws(() => loadSkills("skills: [" + entry + ", " + entry + "]"), /"A" appears twice/);
  assert.throws(() => loadSkills("skills: [{name: A}]"), /skills\.0\.family/);
  assert.throws(() => loadSkills("skills: []"), TypeError);
  assert.throws(() => loadSkills("skills: [}"), SyntaxError);
});

Deno.test("chooseSkills() keeps the order asked for and refuses unknown names", () => {
  const skills = loadSkills(yaml);
  const names = ["Optimization", "Logical Deduction"];
  assert.deepEqual(chooseSkills(skills, names).map(({ name }) => name), names);
  assert.throws(() => chooseSkills(skills, ["Chess"]), /"Chess" is unknown/);
});
