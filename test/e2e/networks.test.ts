/** Graphs of real size: a network in its scopes, on the canvas of a real browser. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { afterAll, describe, expect } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { peerMissing } from "../support/peers.js";
import { savePicture } from "../support/pictures.js";
import type { RunningApp } from "./support/app.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The faults that axe finds in the page as it is: "theme: rule: element". */
async function violations({ page }: WindowPage, theme: string): Promise<string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(AXE);
  const results = (await page.evaluate("axe.run(document)")) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${theme}: ${id}: ${html.slice(0, 200)}`));
}

const float = { value: { $case: "type" as const, value: DataType.DT_FLOAT } };

function node(name: string, op: string, input: string[] = [], device = ""): NodeDef {
  const key = op === "Const" || op === "Placeholder" ? "dtype" : "T";
  return { ...NodeDef.fromPartial({ name, op, device }), input, attr: new Map([[key, float]]) };
}

function scalar(name: string): NodeDef {
  const made = node(name, "Const");
  const tensor = TensorProto.fromPartial({ dtype: DataType.DT_FLOAT, tensorShape: {}, floatVal: [2] });
  return { ...made, attr: new Map(made.attr).set("value", { value: { $case: "tensor", value: tensor } }) };
}

/** A frozen network of blocks of three layers, each with a weight; every block in a scope of its own name. */
function network(blocks: number): GraphDef {
  const nodes = [node("x", "Placeholder")];
  let last = "x";
  for (let index = 0; index < blocks; index++) {
    const scope = `net/block_${index}`;
    const device = index * 2 < blocks ? "/job:worker/task:0" : "/job:worker/task:1";
    for (const layer of index % 4 === 0 ? ["scale", "shift", "gate", "extra"] : ["scale", "shift", "gate"]) {
      const name = `${scope}/${layer}/Mul`;
      nodes.push(scalar(`${name}/factor`), node(`${name}/factor/read`, "Identity", [`${name}/factor`]));
      nodes.push(node(name, "Mul", [last, `${name}/factor/read`], device));
      last = name;
    }
  }
  nodes.push(node("y", "Identity", [last]));
  return { ...GraphDef.fromPartial({}), node: nodes };
}

async function open(window: WindowPage, app: RunningApp, graph: GraphDef): Promise<void> {
  writeFileSync(join(app.folder, "network.pb"), GraphDef.encode(graph).finish());
  await window.openFile("network.pb");
  await window.node("x").waitFor();
}

const scopes = ({ page }: WindowPage, kind: "box" | "frame", node = "") =>
  page.locator(`.react-flow__node${node}:has([data-scope="${kind}"])`);
const box = (window: WindowPage, id: string) => scopes(window, "box", `[data-id="${id}"]`);
const frame = (window: WindowPage, id: string) => scopes(window, "frame", `[data-id="${id}"]`);

/** The nodes and boxes that the canvas does not show whole. */
async function outOfView({ canvas, page }: WindowPage): Promise<string[]> {
  const frame = await canvas.boundingBox();
  const hidden: string[] = [];
  for (const element of await page.locator(".react-flow__node").all()) {
    const rect = await element.boundingBox();
    const isIn =
      rect &&
      frame &&
      rect.x >= frame.x &&
      rect.x + rect.width <= frame.x + frame.width &&
      rect.y >= frame.y &&
      rect.y + rect.height <= frame.y + frame.height;
    if (!isIn) hidden.push((await element.getAttribute("data-id")) ?? "?");
  }
  return hidden;
}

async function picture(window: WindowPage, name: string): Promise<void> {
  await savePicture(name, () => window.page.screenshot());
}

describe.skipIf(peerMissing("chromium"))("a network", () => {
  test("opens as closed scopes in view, opens them in place by mouse and keyboard, and folds its weights", async ({
    window,
    app,
  }) => {
    const { page } = window;
    await open(window, app, network(24));
    const first = box(window, "scope:net/block_0");
    await first.waitFor();
    await window.canvas.getByText(/^\d+ nodes in \d+ blocks/).waitFor();
    // Blocks that are built alike are one stack, and no weight is drawn.
    expect(await scopes(window, "box").getByText("×3").count()).toBeGreaterThan(0);
    expect(await window.node("net/block_0/scale/Mul/factor").count()).toBe(0);
    // The view is fitted to a graph after it was drawn.
    await expect.poll(() => outOfView(window)).toEqual([]);
    await picture(window, "network");

    await first.dblclick();
    await frame(window, "scope:net/block_0").waitFor({ state: "attached" });
    await window.node("net/block_0/scale/Mul").waitFor();
    // A parameter is drawn as a node on demand.
    await window.node("net/block_0/scale/Mul").click();
    await page
      .getByRole("navigation", { name: /Open scopes/ })
      .getByText("block_0")
      .waitFor();
    await window.press("w");
    await window.node("net/block_0/scale/Mul/factor").waitFor();
    await picture(window, "network-open");
    await window.press("w");
    await window.node("net/block_0/scale/Mul/factor").waitFor({ state: "detached" });

    await window.press("Shift+E");
    await box(window, "scope:net/block_0").waitFor();
    await box(window, "scope:net/block_0").click();
    await window.press("Enter");
    await window.node("net/block_0/scale/Mul").waitFor();
    // Nothing of this was an edit.
    expect(await window.undoButton.isDisabled()).toBe(true);
    await window.press("Control+[");
    await box(window, "scope:net/block_0").waitFor();
    await window.press("Control+]");
    await window.node("net/block_0/scale/Mul").waitFor();
  });

  test("is searched by name, op and device, opens what hides a node, and is pinned and deleted by the box", async ({
    window,
    app,
  }) => {
    const { page } = window;
    await open(window, app, network(24));
    await window.press("Control+f");
    const field = page.getByLabel("Find a node");
    await field.fill("op:mul device:worker/1 block_17");
    await page.getByRole("treeitem", { name: /^net\/block_17\/gate\/Mul/ }).waitFor();
    await expect.poll(() => page.getByRole("tree", { name: "Nodes" }).getByRole("treeitem").count()).toBe(3);
    await window.press("Enter");
    await window.press("Escape");
    await window.node("net/block_17/scale/Mul").waitFor();
    await expect
      .poll(() => window.node("net/block_17/scale/Mul").getAttribute("class"))
      .toContain("selected");
    // Along the edge to what reads it, and back to what it reads.
    await window.canvas.focus();
    await window.press("]");
    await expect
      .poll(() => window.node("net/block_17/shift/Mul").getAttribute("class"))
      .toContain("selected");

    // A closed scope stands for what is in it.
    await window.press("Control+Shift+p");
    await page.keyboard.type("Close all scopes");
    await window.press("Enter");
    const net = box(window, "scope:net");
    await net.waitFor();
    await net.click();
    await window.canvas.getByText(/\d selected/).waitFor();
    await window.press("Delete");
    await net.waitFor({ state: "detached" });
    await window.press("Control+z");
    await net.waitFor();
    expect(await net.getByTitle(/cannot run/).count()).toBe(0);
  });

  test("is accessible in both themes, with scopes open and closed", async ({ window, app }) => {
    await open(window, app, network(24));
    await box(window, "scope:net/block_0").dblclick();
    await window.node("net/block_0/scale/Mul").click();
    await window.page.getByRole("navigation", { name: /Open scopes/ }).waitFor();
    for (const theme of ["light", "dark"]) {
      await window.button(`Change to the ${theme} theme`).click();
      await window.page.locator(`html[data-theme="${theme}"]`).waitFor();
      await picture(window, `network-open-${theme}`);
      expect(await violations(window, theme)).toEqual([]);
    }
  });

  test("keeps everything of its file: what is open is not saved with it", async ({ window, app }) => {
    const graph = network(24);
    await open(window, app, graph);
    await box(window, "scope:net/block_0").waitFor();
    await box(window, "scope:net/block_0").dblclick();
    await window.node("net/block_0/scale/Mul").waitFor();
    await window.saveAs("copy.pb");
    // An unchanged document is "saved" before that, too; its name follows the file.
    await window.page.getByText("copy.pb", { exact: true }).first().waitFor();
    const saved = GraphDef.decode(readFileSync(join(app.folder, "copy.pb")));
    expect(saved.node).toEqual(GraphDef.decode(GraphDef.encode(graph).finish()).node);
  });
});
