// @vitest-environment happy-dom
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { offerTour, startTour } from "../../../renderer/actions/tour-actions.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { activateSession, activeSession, openSession } from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useTour } from "../../../renderer/stores/tour-store.js";
import { Tour } from "../../../renderer/tour/tour.js";
import { Button } from "../../../renderer/ui/button.js";
import { Menu } from "../../../renderer/ui/menu.js";
import { welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const card = () => screen.getByRole("dialog");
const button = (name: string) => screen.getByRole("button", { name });
const clusterWith = (state: "starting" | "running") =>
  clusterOf([
    machineOf("laptop", { tasks: ["worker/0", "worker/1"].map((name) => taskOf(name, { state })) }),
  ]);

beforeEach(() => {
  connect();
  openDocument(welcome());
  documentActions.pin(["a", "b", "x", "y"], "/job:worker/task:0");
  documentActions.pin(["z"], "/job:worker/task:1");
  receiveCluster(clusterOf([machineOf("laptop")]));
});

describe("the tour", () => {
  it("does each step for the user who asks for it, says where it is, and ends with the measured result", async () => {
    const { user } = show(<Tour />);
    expect(screen.queryByRole("dialog")).toBeNull();
    await act(startTour);
    expect(document.activeElement).toBe(card());
    expect(card().textContent).toContain("Step 1 of 4");
    await expectAccessible();
    await user.click(button("Do it for me"));
    expect(calls.at(-1)).toEqual({ method: "cluster.addTasks", params: { job: "worker", count: 2 } });
    act(() => receiveCluster(clusterWith("starting")));
    expect((await screen.findByRole("button", { name: "Starting…" })).getAttribute("aria-disabled")).toBe(
      "true",
    );

    act(() => receiveCluster(clusterWith("running")));
    await screen.findByRole("dialog", { name: "Move y to worker/1" });
    await user.click(button("Do it for me"));
    expect(useDocument.getState().document.nodes.get("y")?.device).toBe("/job:worker/task:1");

    await screen.findByRole("dialog", { name: "Run the graph" });
    await user.click(button("Do it for me"));
    expect(calls.at(-1)).toMatchObject({ method: "runs.start" });
    act(() => showRun(runOf({ state: "failed" })));
    await screen.findByText(/^The run failed/);
    const device = (index: number) => `/job:worker/replica:0/task:${index}/device:CPU:0`;
    const ran = (node: string, index: number) => ({
      node,
      device: device(index),
      startMicros: 0,
      durationMicros: 30,
      outputBytes: 4,
    });
    act(() =>
      showRun(
        runOf({
          ...{ runId: "second", state: "done" },
          nodes: [ran("x", 0), ran("y", 1), ran("z", 1)],
          fetches: [
            { name: "z:0", dtype: "float32", shape: [], values: ["11"], elementCount: 1, byteLength: 4 },
          ],
        }),
      ),
    );

    await screen.findByRole("dialog", { name: "Look at z" });
    // As the user does on the canvas.
    act(() => documentActions.select(["z"]));
    await screen.findByRole("dialog", { name: "z is 11.0" });
    expect(card().textContent).toContain(
      "worker/1 computed it on CPU:0 in 30 µs, from x of worker/0 and y of worker/1.",
    );
    await expectAccessible();
    await user.click(button("Finish"));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(calls.at(-1)).toEqual({ method: "settings.set", params: { tourSeen: true } });
  });

  it("is skipped with Esc, and leaves out what is done already when it is taken again", async () => {
    receiveCluster(clusterWith("running"));
    const { user } = show(<Tour />);
    await act(startTour);
    await screen.findByRole("dialog", { name: "Move y to worker/1" });
    await user.keyboard("{Escape}");
    expect(useTour.getState().step).toBeUndefined();
    expect(calls.at(-1)).toEqual({ method: "settings.set", params: { tourSeen: true } });
  });

  it("waits while another document is shown", async () => {
    show(<Tour />);
    await act(startTour);
    const welcomeTab = activeSession();
    act(() => activateSession(openSession()));
    expect(screen.queryByRole("dialog")).toBeNull();
    // Both workers run by now, which is no step taken in the document that is shown.
    act(() => receiveCluster(clusterWith("running")));
    expect(useTour.getState().step).toBe("start");
    act(() => activateSession(welcomeTab));
    await screen.findByRole("dialog", { name: "Move y to worker/1" });
  });

  it("leaves an open menu and the focus alone when it comes by itself, but not when it is asked for", async () => {
    connect({ "settings.get": { tourSeen: false } });
    const run = vi.fn();
    const { user } = show(
      <>
        <Menu
          trigger={<Button>More</Button>}
          entries={[
            { kind: "item", label: "Open", run },
            { kind: "item", label: "Take the tour", run: () => void startTour() },
          ]}
        />
        <Tour />
      </>,
    );
    await user.click(button("More"));
    await act(offerTour);
    expect(card().contains(document.activeElement)).toBe(false);
    await user.click(screen.getByRole("menuitem", { name: "Open" }));
    expect(run).toHaveBeenCalledOnce();
    expect(document.activeElement).toBe(button("More"));

    await user.click(button("Skip the tour"));
    await user.click(button("More"));
    await user.click(screen.getByRole("menuitem", { name: "Take the tour" }));
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    expect(document.activeElement).toBe(card());
  });
});
