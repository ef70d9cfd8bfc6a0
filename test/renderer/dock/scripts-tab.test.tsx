// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { ScriptJob } from "../../../main/api/scripts.js";
import ScriptsTab from "../../../renderer/dock/scripts/scripts-tab.js";
import { receiveScriptLog, receiveScripts } from "../../../renderer/stores/script-store.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";

const request: ScriptJob["request"] = {
  ...{ path: "/home/me/train.py", args: [], restarts: 0, passFlags: false, network: false, scalars: false },
  tasks: [
    { job: "worker", index: 0 },
    { job: "worker", index: 1 },
  ],
};

function jobOf(more: Partial<ScriptJob> = {}): ScriptJob {
  return {
    ...{
      id: "1",
      request,
      script: "train.py",
      folder: "me",
      state: "running",
      startedAt: 0,
      restartsLeft: 0,
    },
    tasks: ["worker/0", "worker/1"].map((name) => ({ name, machine: "laptop", state: "running", starts: 1 })),
    machines: [{ name: "laptop", ready: true }],
    ...{ scalars: [], collected: [] },
    ...more,
  };
}

const line = (sequence: number, text: string) => ({ sequence, at: sequence, level: "info" as const, text });

beforeEach(() => connect());

describe("the tab of scripts", () => {
  it("shows the output of all tasks, or of the one that is chosen, and stops the job", async () => {
    receiveScripts([jobOf()]);
    await receiveScriptLog("1", "worker/0", [line(0, "Epoch 1/2"), line(1, "mine")]);
    await receiveScriptLog("1", "worker/1", [line(0, "Epoch 1/2"), line(1, "other")]);
    const { user } = show(<ScriptsTab />);
    expect(screen.getByText("all 2")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: /^worker\/0 running/ }));
    expect(screen.queryByText("other")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Stop" }));
    expect(calls).toContainEqual({ method: "scripts.stop", params: { jobId: "1" } });
  });

  it("says why a job failed, runs it again and forgets it", async () => {
    const problem = { code: "ABORTED", message: "worker/1 failed (exit code 1).", task: "worker/1" };
    receiveScripts([
      jobOf({ state: "failed", endedAt: 5000, problem }),
      jobOf({ id: "0", state: "stopped", endedAt: 1 }),
    ]);
    const { user } = show(<ScriptsTab />);
    expect(screen.getByRole("alert").textContent).toContain("worker/1 failed (exit code 1).");
    expect(screen.getAllByRole("option", { name: /^train\.py/ })).toHaveLength(2);
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Run again" }));
    await user.click(screen.getByRole("button", { name: "Remove from the list" }));
    expect(calls.filter(({ method }) => method !== "scripts.log")).toEqual([
      { method: "scripts.start", params: request },
      { method: "scripts.forget", params: { jobId: "1" } },
    ]);
  });
});
