import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useKernelCatalogue } from "../../../renderer/stores/kernel-store.js";
import { PORTABLE, TENSORFLOW } from "../kernels/cases.js";
import {
  missingKernels,
  missingNames,
  openSvds,
  showEngines,
  watchWindow,
} from "../support/kernel-window.js";

let calls: readonly string[] = [];

beforeAll(() => {
  calls = watchWindow();
});

beforeEach(openSvds);

describe("what the graph's tasks have no kernel for", () => {
  it("is asked for with the first portable task, and once", async () => {
    showEngines({ "worker/0": "tensorflow" }, [TENSORFLOW, PORTABLE]);
    expect(calls).toEqual([]);
    showEngines({ "worker/0": "portable" });
    showEngines({ "worker/0": "portable", "worker/1": "portable" });
    await expect.poll(() => useKernelCatalogue.getState().catalogue).toBeDefined();
    expect(calls).toEqual(["kernels.list"]);
    expect(missingNames()).toEqual(["s", "t"]);
  });

  it("follows edits, pins and the cluster, and undo", () => {
    showEngines({ "worker/0": "portable", "worker/1": "tensorflow" });
    expect(missingNames()).toEqual(["s", "t"]);
    documentActions.pin(["s"], "/job:worker/task:1");
    expect(missingNames()).toEqual(["t"]);
    documentActions.deleteNodes(["t"]);
    expect(missingKernels().tasks).toEqual([]);
    documentActions.undo();
    documentActions.undo();
    expect(missingNames()).toEqual(["s", "t"]);
    showEngines({ "worker/0": "tensorflow", "worker/1": "tensorflow" });
    expect(missingNames()).toEqual([]);
  });

  it("is not worked out again for a sample of the metrics, a selection or a move", () => {
    showEngines({ "worker/0": "portable" });
    const before = missingKernels();
    showEngines({ "worker/0": "portable" });
    documentActions.select(["s"]);
    documentActions.moveNodes(new Map([["s", { x: 800, y: 8 }]]));
    expect(missingKernels()).toBe(before);
  });

  it("does not keep the graph from being run", () => {
    showEngines({ "worker/0": "portable" });
    expect(missingNames()).toHaveLength(2);
    expect(documentActions.runBlockers().filter(({ code }) => code === "UNIMPLEMENTED")).toEqual([]);
  });
});
