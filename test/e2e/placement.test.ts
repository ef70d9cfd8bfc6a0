/** A placement is suggested for real portable workers, applied, measured and undone. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import type { RunningApp } from "./support/app.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const FILE = "branches.pbtxt";
const FLOAT = `attr { key: "T" value { type: DT_FLOAT } }`;
/** The size of the matrices: a branch computes for much longer than its sum is sent, on any machine. */
const SIZE = 800;

const constant = (name: string, values: readonly number[]) => `
node {
  name: "${name}" op: "Const"
  attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor {
    dtype: DT_INT32 tensor_shape { dim { size: ${values.length} } } ${values.map((value) => `int_val: ${value}`).join(" ")}
  } } }
}`;

/** A random matrix, multiplied by itself three times, and the sum of what comes out. */
const branch = (name: string) => `
node {
  name: "${name}" op: "RandomUniform" input: "shape"
  ${FLOAT.replace("DT_FLOAT", "DT_INT32")} attr { key: "dtype" value { type: DT_FLOAT } }
}
${["1", "2", "3"]
  .map((step, index) => {
    const input = index === 0 ? name : `${name}_${index}`;
    return `node { name: "${name}_${step}" op: "MatMul" input: "${input}" input: "${name}" ${FLOAT} }`;
  })
  .join("\n")}
node {
  name: "${name}_sum" op: "Sum" input: "${name}_3" input: "axes" ${FLOAT}
  attr { key: "Tidx" value { type: DT_INT32 } }
}`;

const GRAPH = `${constant("shape", [SIZE, SIZE])}${constant("axes", [0, 1])}${branch("a")}${branch("b")}
node { name: "total" op: "AddV2" input: "a_sum" input: "b_sum" ${FLOAT} }`;

async function openGraph(app: RunningApp, window: WindowPage): Promise<void> {
  writeFileSync(join(app.folder, FILE), GRAPH);
  await window.openFile(FILE);
  await window.node("total").waitFor();
}

describe.skipIf(peerMissing("chromium"))("two portable workers", () => {
  test("get a branch each from a suggested placement, which is measured and undone", async ({
    app,
    window,
  }) => {
    await window.startTwoWorkers();
    await openGraph(app, window);
    const { page } = window;
    await page.getByRole("tab", { name: "Placement" }).click();
    const panel = page.getByRole("tabpanel", { name: "Placement" });
    await panel.getByRole("button", { name: "Run 20 traced steps" }).click();
    await page
      .getByRole("contentinfo")
      .getByText(/step 20/)
      .waitFor();
    await window.ranOn("total").getByText("worker/0", { exact: true }).waitFor();

    await panel.getByRole("button", { name: "Suggest a placement" }).click();
    await panel.getByText(/Times of .*13 nodes.* from step 20/).waitFor();
    await panel.getByRole("button", { name: /^Apply \d+ moves?$/ }).click();
    await panel.getByText("Applied placement").waitFor();
    const taskOf = async (node: string) => (await window.chip(node).textContent())?.trim();
    const [a, b] = [await taskOf("a_2"), await taskOf("b_2")];
    expect([a, b].toSorted()).toEqual(["worker/0", "worker/1"]);
    for (const name of ["a", "a_1", "a_3"]) expect(await taskOf(name)).toBe(a);
    for (const name of ["b", "b_1", "b_3"]) expect(await taskOf(name)).toBe(b);

    await window.runButton.click();
    const after = panel.getByRole("row", { name: /^After/ });
    await after
      .getByRole("cell")
      .nth(1)
      .getByText(/ms|µs|s$/)
      .waitFor();
    await window.ranOn("b_2").getByText("CPU:0").waitFor();
    await window.undoButton.click();
    await window.chip("a_2").getByText("auto", { exact: true }).waitFor();
    await window.chip("b_2").getByText("auto", { exact: true }).waitFor();

    await window.dockTab("Lanes").click();
    const lane = (name: string) => page.getByRole("region", { name, exact: true });
    await window.drag(
      lane("auto").getByRole("button", { name: /^a_sum/ }),
      lane("worker/1").getByRole("button", { name: /^Select/ }),
      async () => {
        const status = page.getByRole("contentinfo").getByRole("status");
        await status.getByText(/^Pin 1 node to worker\/1\. Sent between tasks in a step: /).waitFor();
      },
    );
    await lane("worker/1")
      .getByRole("button", { name: /^a_sum/ })
      .waitFor();
    expect(await taskOf("a_sum")).toBe("worker/1");
  });
});
