import { describe, expect, it } from "vitest";
import type { Route } from "../../../main/api/reachability.js";
import { takesTasks } from "../../../renderer/cluster/machines.js";
import { blockedProblem, panelRows } from "../../../renderer/cluster-panel/panel-rows.js";
import { machineOf, taskOf } from "../support/cluster-states.js";

const blocked: Route = {
  from: "pi",
  to: "pc",
  address: "pc:2222",
  via: "direct",
  outcome: "failed",
  layers: [{ layer: "tcp", outcome: "failed", detail: "timed out after 3.0 s" }],
};

const kinds = (rows: ReturnType<typeof panelRows>) =>
  rows.map(({ kind, machine }) => `${machine.name} ${kind}`);

describe("panelRows", () => {
  it("lists this machine first and those that are merely there last, else as they come", () => {
    const rows = panelRows(
      [
        machineOf("new", { kind: "discovered" }),
        machineOf("away", { kind: "paired", presence: "offline" }),
        machineOf("tf", { kind: "foreign" }),
        machineOf("pc"),
        machineOf("pi", { kind: "paired" }),
      ],
      [],
    );
    expect(rows.filter(({ kind }) => kind === "machine").map(({ machine }) => machine.name)).toEqual([
      "pc",
      "away",
      "pi",
      "tf",
      "new",
    ]);
  });

  it("puts what is wrong on the machine that it concerns", () => {
    const rows = panelRows(
      [
        machineOf("pc", { tasks: [taskOf("worker/0")] }),
        machineOf("pi", {
          kind: "paired",
          tasks: [taskOf("ps/0")],
          problem: { code: "UNAVAILABLE", message: "pi's clock is 5 s behind." },
        }),
      ],
      [blocked],
    );
    expect(kinds(rows)).toEqual([
      "pc machine",
      "pc task",
      "pc add",
      "pi machine",
      "pi problem",
      "pi task",
      "pi add",
      "pi blocked",
    ]);
    expect(rows.filter(({ last }) => last).map(({ kind }) => kind)).toEqual(["add", "blocked"]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it("says of a machine that does not answer only once that it cannot be reached", () => {
    const problem = { code: "UNAVAILABLE", message: "pc does not answer." };
    const machines = [machineOf("pi"), machineOf("pc", { kind: "paired", presence: "offline", problem })];
    expect(kinds(panelRows(machines, [blocked]))).toEqual([
      "pi machine",
      "pi add",
      "pc machine",
      "pc problem",
    ]);
    const byFirewall = panelRows(machines, [{ ...blocked, firewallOf: "pc" }]);
    expect(kinds(byFirewall)).toContain("pi blocked");
  });

  it("tells machines of one name apart", () => {
    const twin = (id: string) => machineOf("pi", { id, kind: "paired" });
    const rows = panelRows([twin("abcdefgh"), twin("zyxwvuts"), machineOf("pc")], []);
    const marks = rows.map((row) => (row.kind === "machine" ? row.mark : "no machine"));
    expect(marks.filter((mark) => mark !== "no machine")).toEqual([undefined, "ABCD", "ZYXW"]);
  });

  it("offers a worker on every machine that takes one, also before its first task", () => {
    const away = machineOf("away", { kind: "paired", presence: "offline" });
    const rows = panelRows([machineOf("pc"), machineOf("pi", { kind: "paired" }), away], []);
    expect(kinds(rows)).toEqual(["pc machine", "pc add", "pi machine", "pi add", "away machine"]);
  });
});

describe("takesTasks", () => {
  it.each([
    [machineOf("a"), true],
    [machineOf("a", { kind: "paired", role: "run" }), true],
    [machineOf("a", { kind: "paired", role: "view" }), false],
    [machineOf("a", { kind: "paired", role: "run", presence: "offline" }), false],
    [machineOf("a", { kind: "discovered" }), false],
    [machineOf("a", { kind: "foreign" }), false],
  ])("%#", (machine, expected) => {
    expect(takesTasks(machine)).toBe(expected);
  });
});

describe("blockedProblem", () => {
  const known = new Map([
    ["pi", machineOf("raspberrypi", { kind: "paired" })],
    ["pc", machineOf("gpu-pc")],
  ]);

  it("says what was seen where the application says no more", () => {
    expect(blockedProblem(blocked, known)).toMatchObject({
      message: "raspberrypi cannot reach pc:2222.",
      reason: "timed out after 3.0 s",
    });
  });

  it("calls a guess one", () => {
    expect(blockedProblem({ ...blocked, firewallOf: "pc" }, known).reason).toBe(
      "gpu-pc's firewall probably blocks it",
    );
  });

  it("takes the application's own words", () => {
    const problem = { code: "UNAVAILABLE", message: "gpu-pc drops it." };
    expect(blockedProblem({ ...blocked, problem }, known)).toBe(problem);
  });
});
