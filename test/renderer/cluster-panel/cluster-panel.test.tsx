// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { ClusterState, Task } from "../../../main/api/cluster.js";
import { ClusterPanel } from "../../../renderer/cluster-panel/cluster-panel.js";
import { taskCommands } from "../../../renderer/commands/task-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";

const LONG = "a-machine-with-the-longest-name-that-a-host-name-may-have-63-long";

const rows = () => screen.getAllByRole("treeitem");
const row = (name: RegExp) => screen.getByRole("treeitem", { name });
const focused = () => document.activeElement;

/** Draws the panel with a cluster in it. */
function showCluster(state: ClusterState) {
  receiveCluster(state);
  return show(<ClusterPanel />);
}

const withTask = (task: Partial<Task>) =>
  clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0", { address: "10.0.0.1:2222", ...task })] })]);

beforeEach(() => connect());

describe("the cluster panel", () => {
  it("says that it waits until the application has answered", async () => {
    show(<ClusterPanel />);
    expect(screen.getByText("Reading the cluster…")).toBeDefined();
    act(() => receiveCluster(clusterOf([machineOf("laptop")])));
    expect(screen.queryByText("Reading the cluster…")).toBeNull();
    expect(row(/^laptop, /)).toBeDefined();
  });

  it("has room for the load of a machine before its first sample, so that nothing moves when that comes", () => {
    showCluster(
      clusterOf([
        machineOf("laptop"),
        machineOf("desktop", { kind: "paired", role: "run" }),
        machineOf("pi", { id: "ccccdddd", kind: "discovered", engines: [] }),
      ]),
    );
    const meters = (name: RegExp) =>
      within(row(name)).queryAllByRole("img", { name: /^(CPU|Mem|Net) not measured$/ });
    expect(meters(/^laptop/)).toHaveLength(3);
    expect(meters(/^desktop/)).toHaveLength(3);
    expect(meters(/^pi/)).toHaveLength(0);
  });

  it("offers the first worker where there is none, by keyboard too", async () => {
    const { user } = showCluster(clusterOf([machineOf("laptop")]));
    expect(screen.getByText("This machine is ready.")).toBeDefined();
    expect(rows()).toHaveLength(2);
    focusOn(row(/^laptop/));
    await user.keyboard("{ArrowDown}");
    expect(focused()).toBe(row(/^Add worker/));
    await user.keyboard("{Enter}");
    expect(calls.map(({ method }) => method)).toEqual(["cluster.addTasks"]);
    await expectAccessible();
  });

  it("is one stop of the keyboard, whose arrows go through machines and tasks", async () => {
    const { user } = showCluster(
      clusterOf([
        machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("ps/0")] }),
        machineOf("desktop", { kind: "paired", role: "run" }),
      ]),
    );
    expect(rows().filter(({ tabIndex }) => tabIndex === 0)).toEqual([row(/^laptop/)]);
    focusOn(row(/^laptop/));
    await user.keyboard("{ArrowRight}{ArrowDown}");
    expect(focused()).toBe(row(/^ps\/0, running/));
    await user.keyboard("{ArrowLeft}");
    expect(focused()).toBe(row(/^laptop/));
    await user.keyboard("{End}{Home}{ArrowDown}");
    expect(focused()).toBe(row(/^worker\/0/));
    expect(rows().filter(({ tabIndex }) => tabIndex === 0)).toEqual([row(/^worker\/0/)]);
    await expectAccessible();
  });

  it("opens a row's menu with Enter, and the row has the focus again after Escape", async () => {
    const { user } = showCluster(withTask({}));
    focusOn(row(/^worker\/0/));
    await user.keyboard("{Enter}");
    expect(screen.getByRole("menu", { name: "Menu of worker/0" })).toBeDefined();
    expect(screen.getByRole("menuitem", { name: /^Restart/ })).toBeDefined();
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(focused()).toBe(row(/^worker\/0/));
  });

  it("says in words that a machine is offline, and what that means for it", async () => {
    const problem = { code: "UNAVAILABLE", message: "desktop does not answer.", remedy: "Switch it on." };
    showCluster(
      clusterOf([
        machineOf("laptop"),
        machineOf("desktop", {
          kind: "paired",
          role: "run",
          presence: "offline",
          problem,
          tasks: [taskOf("worker/0", { state: "unresponsive", unreachable: true, problem })],
        }),
      ]),
    );
    expect(row(/^desktop, paired, offline, Debian/)).toBeDefined();
    expect(row(/^worker\/0, does not answer/).textContent).not.toContain("Switch it on.");
    expect(taskCommands.restart.on(taskOf("worker/0", { unreachable: true })).reason).toBe(
      "Its machine does not answer.",
    );
    const said = row(/desktop does not answer\. Switch it on\./);
    expect(within(said).getByRole("button", { name: "Check again" })).toBeDefined();
    await expectAccessible();
  });

  it("shows why a task failed, with its log and the way to start it again", async () => {
    const problem = { code: "INTERNAL", message: "worker/0 ended.", reason: "out of memory", details: "OOM" };
    const { user } = showCluster(withTask({ state: "failed", problem }));
    const task = row(/^worker\/0, failed/);
    expect(within(task).getByRole("alert").textContent).toContain("worker/0 ended. Out of memory.");
    await expectAccessible();
    await user.click(within(task).getByRole("button", { name: "Show log" }));
    expect(useUi.getState()).toMatchObject({ dockOpen: true, dockTab: "logs", logTask: "worker/0" });
    await user.click(within(task).getByRole("button", { name: "Start again" }));
    expect(calls).toEqual([{ method: "cluster.startTask", params: { taskId: "worker/0" } }]);
  });

  it("says what a task is doing, and that it cannot be started while it starts", async () => {
    showCluster(withTask({ state: "starting" }));
    expect(within(row(/^worker\/0, starting/)).getByRole("status").textContent).toBe("starting…");
    act(() => receiveCluster(withTask({ state: "running" })));
    expect(within(row(/^worker\/0, running/)).queryByRole("status")).toBeNull();
  });

  it("keeps long names whole for those who hear them, and in full as a title", async () => {
    const job = "evaluator_of_the_validation_set_in_the_other_building";
    showCluster(
      clusterOf([
        machineOf(LONG, { tasks: [taskOf(`${job}/12`, { address: `${LONG}.example.org:52222` })] }),
      ]),
    );
    expect(row(new RegExp(`^${LONG}, `))).toBeDefined();
    expect(screen.getByTitle(LONG).textContent).toBe(LONG);
    expect(row(new RegExp(`^${job}/12, running`))).toBeDefined();
    expect(screen.getByRole("button", { name: `Menu of ${job}/12`, hidden: true })).toBeDefined();
    await expectAccessible();
  });

  it("tells machines with one name apart, and offers to pair with what was found", async () => {
    showCluster(
      clusterOf([
        machineOf("pi", { id: "aaaabbbb" }),
        machineOf("pi", { id: "ccccdddd", kind: "discovered", engines: [] }),
      ]),
    );
    expect(row(/^pi, AAAA/)).toBeDefined();
    const found = row(/^pi, CCCC/);
    expect(within(found).getByRole("button", { name: /^Pair with pi/ })).toBeDefined();
    await expectAccessible();
  });

  it("says while anyone may use the cluster, and puts a notice away for good once it was read", async () => {
    const notice = { code: "OK", message: "The port changed." };
    const state = clusterOf([machineOf("laptop")], { access: "open", notice });
    const { user } = showCluster(state);
    expect(screen.getByText("The port changed.")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Dismiss" }));
    act(() => receiveCluster({ ...state }));
    expect(screen.queryByText("The port changed.")).toBeNull();
    await user.click(screen.getByRole("button", { name: /open/ }));
    expect(useUi.getState().dialog).toMatchObject({ kind: "access" });
    act(() => uiActions.close());
  });

  it("cannot add where the application is away, and says so", async () => {
    const { user } = showCluster(clusterOf([machineOf("laptop")]));
    act(() => useApp.setState({ connection: "lost" }));
    const add = row(/^Add worker/);
    expect(add.getAttribute("aria-disabled")).toBe("true");
    await user.click(add);
    expect(calls).toEqual([]);
  });

  it("shows nothing as running that it has no news of, until it is connected again", async () => {
    const lostAt = new Date(2030, 0, 2, 9, 5).getTime();
    showCluster(
      clusterOf([
        machineOf("laptop", { tasks: [taskOf("worker/0")] }),
        machineOf("desktop", { kind: "paired", role: "run" }),
        machineOf("pi", { kind: "paired", role: "run", presence: "offline" }),
      ]),
    );
    act(() => useApp.setState({ connection: "lost", lostAt }));
    expect(row(/^laptop, this machine, unknown, last seen 2 Jan 09:05, /)).toBeDefined();
    expect(row(/^desktop, paired, unknown, last seen 2 Jan 09:05, /)).toBeDefined();
    expect(row(/^pi, paired, offline, /)).toBeDefined();
    expect(row(/^worker\/0, state unknown, /).textContent).not.toContain("running");
    await expectAccessible();
    act(() => useApp.setState({ connection: "connected" }));
    expect(row(/^laptop, this machine, online, /).textContent).not.toContain("last seen");
    expect(row(/^worker\/0, running, /)).toBeDefined();
  });
});
