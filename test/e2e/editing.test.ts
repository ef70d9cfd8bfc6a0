import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect } from "vitest";
import { environmentWithoutProxies, peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

const READ_IN_PYTHON = `
import sys, json
import tensorflow as tf
tf1 = tf.compat.v1
with tf.Graph().as_default() as graph:
    tf1.train.import_meta_graph(sys.argv[1])
    devices = {op.name: op.device for op in graph.get_operations()}
print("RESULT " + json.dumps(devices))
`;

describe.skipIf(peerMissing("chromium"))("editing in the window", () => {
  test("an op found by search is added beside the selection, connected, and computes", async ({ window }) => {
    await window.startTwoWorkers();
    await window.select("z");
    await window.page.getByRole("tab", { name: "Ops" }).click();
    await window.page.getByLabel("Search ops").fill("Square");
    await window.page
      .getByRole("treeitem", { name: /^Square\b/ })
      .first()
      .waitFor();
    await window.press("Enter");
    await window.nodes.nth(5).waitFor();
    const name = (await window.page.locator(".react-flow__node.selected").getAttribute("data-id")) ?? "";
    await window.runAndSee(name, "121.0");
    expect(await window.value("z").textContent()).toBe("11.0");
  });

  test("an op dragged onto the canvas is wired by pulling an edge; an edge that does not fit is refused with the reason", async ({
    window,
  }) => {
    await window.startTwoWorkers();
    await window.page.getByRole("tab", { name: "Ops" }).click();
    await window.page.getByLabel("Search ops").fill("Neg");
    const row = window.page.getByRole("treeitem", { name: /^Neg\b/ }).first();
    await window.dragToCanvas(row, 0.5, 0.8);
    await window.nodes.nth(5).waitFor();
    const name = (await window.page.locator(".react-flow__node.selected").getAttribute("data-id")) ?? "";
    await window.drag(window.port("z", "o0"), window.port(name, "i0"));
    await window.runAndSee(name, "-11.0");

    await window.page.getByLabel("Search ops").fill("LogicalNot");
    await window.dragToCanvas(
      window.page.getByRole("treeitem", { name: /^LogicalNot\b/ }).first(),
      0.25,
      0.8,
    );
    await window.nodes.nth(6).waitFor();
    const other = (await window.page.locator(".react-flow__node.selected").getAttribute("data-id")) ?? "";
    const edges = await window.page.locator(".react-flow__edge").count();
    await window.drag(window.port("z", "o0"), window.port(other, "i0"), async () => {
      await window.canvas
        .getByRole("status")
        .getByText(/bool.*float32|float32.*bool/)
        .waitFor();
    });
    expect(await window.page.locator(".react-flow__edge").count()).toBe(edges);
  });

  test("a node is pinned by dragging it onto a task and in the inspector; both are undone and redone", async ({
    window,
  }) => {
    await window.startTwoWorkers();
    await window.runAndSee("z", "11.0");
    const place = await window.node("z").boundingBox();
    await window.drag(window.node("z"), window.task("worker/0"));
    await window.chip("z").getByText("worker/0").waitFor();
    await expect.poll(() => window.node("z").boundingBox()).toEqual(place);
    await window.undoButton.click();
    await window.chip("z").getByText("worker/1").waitFor();
    await window.redoButton.click();
    await window.chip("z").getByText("worker/0").waitFor();

    await window.select("x");
    await window.device.selectOption("/job:worker/task:1");
    await window.chip("x").getByText("worker/1").waitFor();
    await window.device.selectOption("");
    await window.chip("x").getByText("auto").waitFor();
    await window.press("Control+z");
    await window.chip("x").getByText("worker/1").waitFor();

    await window.runAndSee("z", "11.0");
    await window.dockTab("Results").click();
    expect(await window.page.getByRole("row", { name: /z:0/ }).textContent()).toContain("worker/0");
  });

  test("values can be edited, nodes deleted, and every step of it undone", async ({ window }) => {
    await window.startTwoWorkers();
    await window.select("a");
    const field = window.inspector.getByRole("textbox", { name: "value" });
    await field.fill("4");
    await field.press("Enter");
    await window.runAndSee("z", "14.0");
    await window.select("z");
    await window.press("Delete");
    await window.node("z").waitFor({ state: "detached" });
    await window.press("Control+z");
    await window.node("z").waitFor();
    await window.press("Control+z");
    await window.value("a").getByText("3.0", { exact: true }).waitFor();
    await window.runAndSee("z", "11.0");
  });

  test("what is saved is opened again as it was", async ({ window, app }) => {
    await window.startTwoWorkers();
    await window.select("z");
    await window.device.selectOption("/job:worker/task:0");
    await window.saveAs("mine");
    const file = join(app.folder, "mine.pbtxt");
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain('name: "z"');
    const place = await window.node("z").boundingBox();

    await window.closeDocument();
    await window.openFile("mine.pbtxt");
    await window.node("z").waitFor();
    expect(await window.chip("z").textContent()).toContain("worker/0");
    // The view is fitted to a graph after it was drawn.
    await expect.poll(() => window.node("z").boundingBox()).toEqual(place);
    await window.runAndSee("z", "11.0");
  });

  test.skipIf(peerMissing("tensorflow"))("what is saved is read by Python", async ({ window, app }) => {
    await window.saveAs("mine");
    const file = join(app.folder, "mine.pbtxt");
    const { stdout } = await promisify(execFile)(tensorflowPython(), ["-c", READ_IN_PYTHON, file], {
      env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "3", CUDA_VISIBLE_DEVICES: "" },
      timeout: 60_000,
    });
    const devices: unknown = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "{}");
    expect(devices).toMatchObject({ x: "/job:worker/task:0", z: "/job:worker/task:1" });
  });
});
