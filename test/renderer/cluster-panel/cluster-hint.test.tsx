// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { NodeRun } from "../../../main/api/runs.js";
import { ClusterHint } from "../../../renderer/cluster-panel/cluster-hint.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useDocumentRun } from "../../../renderer/stores/run-store.js";
import { binary, constant, documentOf, node } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument, runOf } from "../support/documents.js";

const ran = (name: string): NodeRun => ({
  node: name,
  device: "/job:worker/replica:0/task:0/device:CPU:0",
  startMicros: 0,
  durationMicros: 1,
  outputBytes: 4,
});

beforeEach(() => {
  connect();
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
  openDocument(
    documentOf([
      constant("a", "1"),
      binary("sum", "AddV2", "a", "a"),
      binary("unused", "Mul", "a", "a"),
      node("init", "NoOp"),
    ]),
  );
});

describe("the hint after a first run", () => {
  it("proposes to move a node that has computed a value", async () => {
    show(<ClusterHint />);
    expect(screen.queryByText("It works.")).toBeNull();
    act(() => useDocumentRun.setState({ latest: runOf({ nodes: ["a", "sum", "init"].map(ran) }) }));
    expect(screen.getByText("It works.").parentElement?.textContent).toContain("drag sum onto it");
    await expectAccessible();
  });

  it("waits for a run that says where nodes ran", () => {
    show(<ClusterHint />);
    act(() => useDocumentRun.setState({ latest: runOf({ nodes: [] }) }));
    expect(screen.queryByText("It works.")).toBeNull();
  });
});
