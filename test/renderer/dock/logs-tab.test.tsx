// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { LogLine } from "../../../main/api/cluster.js";
import LogsTab from "../../../renderer/dock/logs-tab.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useLogs } from "../../../renderer/stores/logs-store.js";
import { uiActions } from "../../../renderer/stores/ui-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, copied, expectAccessible, focusOn, show } from "../support/components.js";

const line = (sequence: number, text: string, level: LogLine["level"] = "info"): LogLine => ({
  ...{ sequence, at: 1000 * sequence, level, text },
});
const log = () => screen.getByRole("log", { name: "Log" }).textContent ?? "";
const search = () => screen.getByRole("textbox", { name: "Search the log" });
/** The texts of these lines, in the order in which they are shown. */
const order = (...texts: string[]) =>
  texts.toSorted((one, other) => log().indexOf(one) - log().indexOf(other));

beforeEach(() => {
  connect();
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
  useLogs.setState({
    lines: new Map([
      ["worker/0", [line(1, "first"), line(3, "third", "error")]],
      ["worker/1", [line(2, "second", "warning")]],
    ]),
  });
});

describe("the logs tab", () => {
  it("shows what all tasks wrote in one order of time", async () => {
    show(<LogsTab />);
    expect(order("third", "second", "first")).toEqual(["first", "second", "third"]);
    expect(screen.getByText("3 lines")).toBeDefined();
    await expectAccessible();
  });

  it("says why there is nothing", () => {
    useLogs.setState({ lines: new Map() });
    show(<LogsTab />);
    expect(log()).toBe("The tasks have not written anything yet.");
    act(() => receiveCluster(clusterOf([machineOf("laptop")])));
    expect(log()).toBe("Start a worker to see its output.");
  });

  it("shows the lines with a text, of a level, and of a task", async () => {
    const { user } = show(<LogsTab />);
    await user.type(search(), "SECOND");
    expect(log()).not.toContain("first");
    expect(screen.getByText("1 of 3 lines")).toBeDefined();
    await user.clear(search());
    await user.type(search(), "nothing like it");
    expect(log()).toBe("No line matches.");
    await user.clear(search());
    const all = screen.getByRole("radio", { name: "All", checked: true });
    focusOn(all);
    await user.keyboard("{ArrowRight}");
    expect(screen.getByRole("radio", { name: "Warnings 1", checked: true })).toBe(document.activeElement);
    expect(order("third", "second")).toEqual(["second", "third"]);
    expect(log()).not.toContain("first");
    await user.keyboard("{ArrowRight}");
    expect(log()).not.toContain("second");
    await user.click(all);
    await user.click(screen.getByRole("button", { name: "All 2 tasks" }));
    await expectAccessible();
    await user.click(screen.getByRole("menuitem", { name: "worker/1" }));
    expect(screen.getByRole("button", { name: "worker/1" })).toBeDefined();
    expect(screen.getByText("1 line")).toBeDefined();
    act(() => uiActions.showLog());
    expect(screen.getByText("3 lines")).toBeDefined();
  });

  it("copies what is shown, and follows new lines only while that is wanted", async () => {
    const { user } = show(<LogsTab />);
    await user.type(search(), "th");
    await user.click(screen.getByRole("button", { name: /^Copy/ }));
    expect(copied).toEqual([expect.stringMatching(/ worker\/0 error third$/)]);
    const follow = () => screen.getByRole("button", { name: "Follow" });
    expect(follow().getAttribute("aria-pressed")).toBe("true");
    await user.click(follow());
    expect(follow().getAttribute("aria-pressed")).toBe("false");
  });
});
