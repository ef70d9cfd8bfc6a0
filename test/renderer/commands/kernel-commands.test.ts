import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RuntimeState } from "../../../main/api/runtime.js";
import { receiveRun } from "../../../renderer/actions/run-actions.js";
import { kernelCommands, wayOutCommands, wayOutOffer } from "../../../renderer/commands/kernel-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useKernelCatalogue } from "../../../renderer/stores/kernel-store.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { receiveRuntime } from "../../../renderer/stores/runtime-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { PORTABLE, TENSORFLOW } from "../kernels/cases.js";
import {
  missingKernels,
  missingNames,
  openSvds,
  showEngines,
  watchWindow,
} from "../support/kernel-window.js";
import { NO_REMEDIES } from "../support/run-remedies.js";

const way = () => {
  const [first] = missingKernels().tasks;
  return first && wayOutCommands.best.on(first);
};
const runtime = (offer?: RuntimeState["offer"]): RuntimeState => (offer ? { offer } : {});

beforeAll(async () => {
  watchWindow();
  showEngines({ "worker/0": "portable" });
  await vi.waitUntil(() => useKernelCatalogue.getState().catalogue, { timeout: 30_000 });
});

beforeEach(openSvds);

describe("the way out", () => {
  it("is a task with TensorFlow, in one undo step", () => {
    showEngines({ "worker/0": "portable", "ps/0": "tensorflow", "worker/1": "tensorflow" });
    expect(way()?.short).toBe("Pin 2 nodes to worker/1");
    way()?.run();
    expect(missingNames()).toEqual([]);
    documentActions.undo();
    expect(missingNames()).toEqual(["s", "t"]);
  });

  it("is none of these where the nodes cannot go elsewhere", () => {
    showEngines({ "worker/0": "portable", "worker/1": "tensorflow" }, [TENSORFLOW, PORTABLE]);
    const [first] = missingKernels().tasks;
    if (!first) throw new Error("No node lacks a kernel.");
    expect(wayOutCommands.best.on({ ...first, movable: [] }).short).toBe("Change the engine of worker/0…");
  });

  it("is offered beside the failure of a run that went ahead nevertheless", () => {
    showEngines({ "worker/0": "portable", "worker/1": "tensorflow" });
    const problem = {
      code: "UNIMPLEMENTED",
      message: "The portable engine cannot run this graph.",
      node: "s",
    };
    receiveRun(
      {
        ...{
          runId: "r",
          origin: originOf(useDocument.getState().document),
          state: "failed",
          step: 0,
          steps: 1,
          trace: false,
          elapsedMillis: 0,
          currentMillis: 0,
          problem,
        },
        ...{ fetches: [], nodes: [], transfers: [] },
      },
      { ...NO_REMEDIES, otherKernel: wayOutOffer },
    );
    expect(useApp.getState().notices.at(-1)?.action?.label).toBe("Pin 2 nodes to worker/1");
  });

  it("is another engine for the task, where its machine has one", () => {
    showEngines({ "worker/0": "portable" }, [TENSORFLOW, PORTABLE]);
    expect(way()?.short).toBe("Change the engine of worker/0…");
    way()?.run();
    expect(useUi.getState().dialog?.kind).toBe("cluster-table");
  });

  it("is an installation, where there is something to install", () => {
    showEngines({ "worker/0": "portable" });
    expect(way()?.applies).toBe(false);
    expect(kernelCommands.changeEngine.now().reason).toBe("It does not apply here.");
    receiveRuntime(
      runtime({ version: "2.21.0", downloadBytes: 1, installedBytes: 1, freeBytes: 9, gpu: false }),
    );
    expect(way()?.short).toBe("Install TensorFlow runtime (1 B)…");
    way()?.run();
    expect(useUi.getState().dialog?.kind).toBe("install");
    receiveRuntime(runtime());
  });

  it("is none where no node lacks a kernel, which it says", () => {
    showEngines({ "worker/0": "tensorflow" });
    expect(wayOutCommands.best.now().reason).toBe("No node lacks a kernel.");
    expect(kernelCommands.pinElsewhere.all()).toEqual([]);
  });
});
