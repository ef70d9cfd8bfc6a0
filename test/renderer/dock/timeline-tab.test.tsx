// @vitest-environment happy-dom
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import TimelineTab from "../../../renderer/dock/timeline-tab.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { welcome } from "../document/graphs.js";
import { calls, connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const device = (task: number) => `/job:worker/replica:0/task:${task}/device:CPU:0`;
const ran = (node: string, task: number, startMicros: number, durationMicros: number) => ({
  ...{ node, device: device(task), startMicros, durationMicros, outputBytes: 4 },
});
const traced = () =>
  runOf({
    tracedStep: 1,
    computeMillis: 1.2,
    nodes: [ran("x", 0, 0, 100), ran("z", 1, 500, 700)],
    transfers: [
      {
        ...{ tensor: "x:0", fromDevice: device(0), toDevice: device(1), startMicros: 100 },
        ...{ durationMicros: 400, bytes: 4, timed: false },
      },
    ],
  });

beforeEach(() => {
  connect({ "runs.chromeTrace": "{}" });
  openDocument(welcome());
});

describe("the timeline tab", () => {
  it("says how a step is traced", async () => {
    const { user } = show(<TimelineTab />);
    expect(screen.getByText("Turn on Trace and run to see where time goes.")).toBeDefined();
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Trace the next run" }));
    expect(useUi.getState().trace).toBe(true);
    expect(screen.getByText("Run the graph to see where time goes.")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Trace the next run" })).toBeNull();
  });

  it("sums up what was measured, and says what was not", async () => {
    showRun(traced());
    show(<TimelineTab />);
    expect(screen.getByText("first node to last, step 1")).toBeDefined();
    expect(screen.getByText(/2 nodes ran\. Sent between tasks: 1 tensor, 4 B\./).textContent).toContain(
      "The engine recorded no time for them",
    );
    await expectAccessible();
    act(() => void documentActions.deleteNodes(["y"]));
    expect(screen.getByText(/^step 1 · before edit$/)).toBeDefined();
  });

  it("says that a first step includes the set-up", () => {
    showRun({ ...traced(), tracedStepRegisteredGraph: true });
    show(<TimelineTab />);
    expect(screen.getByText("first node to last, step 1, with set-up")).toBeDefined();
  });

  it("counts what the client fetched, and what stays within a task, apart", () => {
    const run = traced();
    const [sent] = run.transfers;
    if (!sent) throw new Error("Nothing was sent.");
    showRun({
      ...run,
      transfers: [
        sent,
        { ...sent, tensor: "z:0", fromDevice: device(1), toDevice: device(0), bytes: 8, forClient: true },
        { ...sent, tensor: "MEMCPYHtoD", bytes: 100 },
        { ...sent, toDevice: device(0).replace("CPU", "GPU"), bytes: 1000 },
      ],
    });
    show(<TimelineTab />);
    expect(screen.getByText(/Sent between tasks: 1 tensor, 4 B\./)).toBeDefined();
    expect(screen.getByText("Fed and fetched besides: 1 tensor, 8 B.")).toBeDefined();
  });

  it("says how much each task received", () => {
    const sent = (from: number, to: number, bytes: number) => ({
      ...{ tensor: "x:0", fromDevice: device(from), toDevice: device(to), startMicros: 100 },
      ...{ durationMicros: 400, bytes, timed: true },
    });
    showRun({ ...traced(), transfers: [sent(0, 1, 4), sent(0, 2, 8), sent(1, 2, 8), sent(2, 0, 4)] });
    show(<TimelineTab />);
    expect(screen.getByText("Received: worker/2 16 B, worker/0 4 B and worker/1 4 B.")).toBeDefined();
  });

  it("is a table in the order of time as well", async () => {
    showRun(traced());
    const { user } = show(<TimelineTab />);
    await user.click(screen.getByRole("radio", { name: "Table" }));
    expect(screen.getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
      "Node or tensorOpWhereStartDurationBytes",
      expect.stringMatching(/^xAddV2/),
      expect.stringMatching(/^x:0RecvTensor.*not recorded4 B$/),
      expect.stringMatching(/^zAddV2/),
    ]);
    await expectAccessible();
    await user.click(screen.getByRole("radio", { name: "Lanes" }));
    expect(screen.queryByRole("table")).toBeNull();
  });

  it("is searched, and ordered by duration", async () => {
    showRun(traced());
    const { user } = show(<TimelineTab />);
    await user.click(screen.getByRole("radio", { name: "Table" }));
    await user.click(screen.getByRole("radio", { name: "Slowest first" }));
    const names = () =>
      screen
        .getAllByRole("row")
        .slice(1)
        .map((row) => row.firstChild?.textContent);
    expect(names()).toEqual(["z", "x", "x:0"]);
    await user.type(screen.getByRole("textbox", { name: "Find a node, an op or a device" }), "recv");
    await waitFor(() => expect(names()).toEqual(["x:0"]));
    expect(screen.getByText("1 of 3")).toBeDefined();
    await expectAccessible();
  });

  it("says what the end of the step waited for, and how idle each device was", () => {
    showRun(traced());
    show(<TimelineTab />);
    const summary = screen.getByRole("region", { name: "Summary of the step" }).textContent;
    expect(summary).toContain("Compute on critical path0.80 ms");
    expect(summary).toContain("Between devices0.40 ms");
    expect(summary).toContain("Waiting0 µs");
    expect(summary).toContain("2 nodes on the critical path; the slowest is z, 0.70 ms.");
    expect(summary).toContain("idle 92%");
    expect(summary).toContain("idle 42%");
  });

  it("has the trace saved for Chrome", async () => {
    showRun(traced());
    const { user } = show(<TimelineTab />);
    await user.click(screen.getByRole("button", { name: "Save Chrome trace" }));
    expect(calls).toEqual([{ method: "runs.chromeTrace", params: { runId: "r1" } }]);
  });
});
