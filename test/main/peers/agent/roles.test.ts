import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../../main/api/wire.js";
import { admitCall } from "../../../../main/peers/agent/roles.js";
import { agentMethodNames, wireName } from "../../../../main/peers/agent/service-definition.js";

/** The reason why a machine that may only view this one is refused; undefined where it is not. */
function reasonOf(method: (typeof agentMethodNames)[number]): string | undefined {
  try {
    admitCall(method, "view", "gpu-pc");
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.reason;
    throw error;
  }
}

describe("a machine whose role is too low", () => {
  test("is told in words what takes which role", () => {
    expect(reasonOf("inspectFirewall")).toBe(
      'It granted this machine the role "view"; looking at its firewall or changing it needs the role "manage".',
    );
    expect(reasonOf("watch")).toBeUndefined();
  });

  test("is told no name of the protocol", () => {
    const refused = agentMethodNames.filter((name) => reasonOf(name) !== undefined);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused.filter((name) => reasonOf(name)?.includes(wireName(name)))).toEqual([]);
  });
});
