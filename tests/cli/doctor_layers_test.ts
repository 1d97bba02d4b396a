import assert from "node:assert/strict";
import { describeLayers, describeLevel } from "../../lib/cli/doctor/layers.ts";

const STANDING = { seccomp: true, namespaces: true, landlock: true, memory: true } as const;

Deno.test("describeLayers() says what was tried, and of what is missing why and what to do", () => {
  for (const { mark, found, hint } of describeLayers(STANDING)) {
    assert.equal(mark, "good");
    assert.match(found, /a child|without the filter|a group/);
    assert.equal(hint, undefined);
  }
  const [finding] = describeLayers({ landlock: "not in this kernel" });
  assert.equal(finding.mark, "limited");
  assert.equal(finding.found, "no: not in this kernel");
  assert.match(finding.hint ?? "", /5\.13.*lsm=landlock/);
});

Deno.test("the advice about namespaces follows from what the kernel answered", () => {
  const advice = (reason: string) => describeLayers({ namespaces: reason })[0].hint ?? "";
  assert.match(advice("unshare: ENOSPC"), /user\.max_user_namespaces/);
  assert.match(advice("unshare: EINVAL"), /CONFIG_USER_NS/);
  assert.match(advice("unshare: EPERM"), /container.*unprivileged_userns_clone/);
  assert.match(advice("unshare: EACCES"), /apparmor_restrict_unprivileged_userns/);
  assert.match(advice("empty root: EACCES"), /apparmor_restrict_unprivileged_userns/);
  assert.match(advice("switched off"), /on purpose/);
});

Deno.test("describeLevel() names the level above and what it needs", () => {
  assert.deepEqual(describeLevel("full", STANDING), {
    name: "Level",
    mark: "good",
    found: "full, the highest",
  });
  const user = describeLevel("landlock+seccomp", { ...STANDING, namespaces: "unshare: ENOSPC" });
  assert.match(user.hint ?? "", /^full needs own namespaces: .*sysctl/);
  const least = describeLevel("seccomp", { ...STANDING, landlock: "not in this kernel" });
  assert.match(least.hint ?? "", /^landlock\+seccomp needs landlock: /);
  assert.match(describeLevel("wasm", {}).hint ?? "", /slower/);
});
