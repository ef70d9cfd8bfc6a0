// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { ClusterState } from "../../../main/api/cluster.js";
import { AccessDialog } from "../../../renderer/dialogs/access-dialog.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useRun } from "../../../renderer/stores/run-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { runOf } from "../support/documents.js";

const choice = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name });
const button = (name: string) => screen.getByRole("button", { name });
const cluster = (more: Partial<ClusterState> = {}) =>
  clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("ps/0")] })], more);

function showDialog(state = cluster()) {
  receiveCluster(state);
  useUi.setState({ dialog: { kind: "access" } });
  return show(<AccessDialog wanted={undefined} />);
}

beforeEach(() => connect());

describe("who can use the cluster", () => {
  it("shows the current choice, which costs nothing", async () => {
    const { user } = showDialog();
    expect(choice(/^Secure cluster/).checked).toBe(true);
    expect(screen.getByText("This is the current setting.")).toBeDefined();
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(useUi.getState().dialog).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it("says what opening costs, and opens only after a second click", async () => {
    useRun.setState({ newest: runOf({ state: "running" }) });
    const { user } = showDialog();
    await user.click(choice(/^Open cluster/));
    expect(
      screen.getByText(/^2 tasks restart, and their variables are lost\. The run in progress fails\./),
    ).toBeDefined();
    await user.click(button("Make open…"));
    expect(calls).toEqual([]);
    expect(screen.getByRole("alert").textContent).toMatch(/^Open it to everyone on this network\?/);
    await expectAccessible();
    await user.click(button("Open and restart 2 tasks"));
    expect(calls).toEqual([{ method: "cluster.setAccess", params: { access: "open" } }]);
    expect(useUi.getState().dialog).toBeUndefined();
  });

  it("asks again after the choice was changed in between", async () => {
    const { user } = showDialog(clusterOf([machineOf("laptop")]));
    await user.click(choice(/^Open cluster/));
    await user.click(button("Make open…"));
    await user.click(choice(/^Secure cluster/));
    await user.click(choice(/^Open cluster/));
    expect(screen.queryByRole("alert")).toBeNull();
    await user.click(button("Make open…"));
    await user.click(button("Open"));
    expect(calls).toHaveLength(1);
  });

  it("secures an open cluster with one click", async () => {
    const { user } = showDialog(cluster({ access: "open" }));
    await user.click(choice(/^Secure cluster/));
    await user.click(button("Make secure and restart 2 tasks"));
    expect(calls).toEqual([{ method: "cluster.setAccess", params: { access: "secure" } }]);
  });

  it("names the machines that do not allow it, and what is already reachable", async () => {
    showDialog(
      clusterOf(
        [
          machineOf("laptop"),
          machineOf("desktop", {
            kind: "paired",
            role: "run",
            exposure: { allowed: false, avoidable: true },
          }),
          machineOf("pi", { kind: "paired", role: "run", exposure: { allowed: true, avoidable: true } }),
        ],
        { access: "open", exposures: [{ code: "OK", message: "worker/0 is open to the Internet." }] },
      ),
    );
    const dialog = screen.getByRole("dialog", { name: "Who can use this cluster" });
    expect(within(dialog).getByText(/^desktop does not allow it yet/)).toBeDefined();
    expect(within(dialog).getByText(/worker\/0 is open to the Internet\./)).toBeDefined();
    await expectAccessible();
  });
});
