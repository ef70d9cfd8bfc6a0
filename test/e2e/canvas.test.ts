/** The pointer, the keyboard and the clipboard on the canvas, and a graph of 50,000 nodes on it. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { environmentWithoutProxies, peerMissing, tensorflowPython } from "../support/peers.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

const PARSE_IN_PYTHON = `
import sys
import tensorflow as tf
from google.protobuf import text_format
graph = text_format.Parse(sys.argv[1], tf.compat.v1.GraphDef())
print("RESULT " + " ".join(f"{node.name}:{node.op}" for node in graph.node))
`;

/** Centre of what is seen of an element. */
async function centre(element: ReturnType<WindowPage["node"]>): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("The element is not in view.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function selected(window: WindowPage): Promise<string[]> {
  const names = await window.page
    .locator(".react-flow__node.selected")
    .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-id") ?? ""));
  return names.sort();
}

describe.skipIf(peerMissing("chromium"))("the canvas", () => {
  test("Space pulls the view along over nodes too, Shift selects nodes and no text, F fits from any panel", async ({
    window,
  }) => {
    const { page } = window;
    const before = await centre(window.node("z"));
    await window.canvas.focus();
    await page.keyboard.down("Space");
    await page.mouse.move(before.x, before.y);
    await page.mouse.down();
    await page.mouse.move(before.x - 90, before.y - 60, { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up("Space");
    const after = await centre(window.node("z"));
    expect(after.x).toBeCloseTo(before.x - 90, 0);
    expect(after.y).toBeCloseTo(before.y - 60, 0);
    // The view was moved, not the node: there is nothing to undo.
    expect(await window.undoButton.isDisabled()).toBe(true);

    // F, with the focus on a button of another panel; in a field it is a letter.
    await window.button("Look for machines again").focus();
    await window.press("f");
    await expect.poll(() => centre(window.node("z"))).toEqual(before);
    await page.getByRole("tab", { name: "Ops" }).click();
    await page.getByLabel("Search ops").fill("");
    await window.press("f");
    expect(await page.getByLabel("Search ops").inputValue()).toBe("f");

    // Text was selected elsewhere before; a press with Shift would extend that selection.
    const canvas = await window.canvas.boundingBox();
    if (canvas === null) throw new Error("There is no canvas.");
    await page.evaluate(
      "getSelection().setBaseAndExtent(document.querySelector('footer'), 0, document.querySelector('footer'), 1)",
    );
    await page.keyboard.down("Shift");
    await page.mouse.move(canvas.x + 8, canvas.y + 60);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width - 30, canvas.y + canvas.height - 80, { steps: 8 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await expect.poll(() => selected(window)).toEqual(["a", "b", "x", "y", "z"]);
    expect(await page.evaluate("getSelection().toString().includes('Graph')")).toBe(false);
  });

  test.skipIf(peerMissing("tensorflow"))("nodes are copied as text that Python reads", async ({ window }) => {
    await window.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await window.select("x");
    await window.press("Control+c");
    const text = String(await window.page.evaluate("navigator.clipboard.readText()"));
    const { stdout } = await promisify(execFile)(tensorflowPython(), ["-c", PARSE_IN_PYTHON, text], {
      env: environmentWithoutProxies(),
    });
    expect(/^RESULT (.*)$/m.exec(stdout)?.[1]).toBe("x:AddV2");
  });

  test("nodes are copied to the system's clipboard, cut, and pasted into another window", async ({
    window,
    app,
  }) => {
    const { page } = window;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await window.select("x");
    await window.press("Control+c");
    const text = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(text).toContain('op: "AddV2"');

    await window.press("Control+x");
    await window.node("x").waitFor({ state: "detached" });
    await window.press("Control+z");
    await window.node("x").waitFor();

    const other = await WindowPage.open(await sharedBrowser(), await app.newLink());
    try {
      await other.ready();
      await other.canvas.focus();
      await other.page.evaluate(`document.activeElement.dispatchEvent(new ClipboardEvent("paste", {
        bubbles: true, cancelable: true,
        clipboardData: (() => { const data = new DataTransfer(); data.setData("text/plain", ${JSON.stringify(text)}); return data; })(),
      }))`);
      await other.node("x_1").waitFor();
    } finally {
      await other.close();
    }

    await page.evaluate('navigator.clipboard.writeText("a shopping list")');
    await window.canvas.focus();
    await window.press("Control+v");
    await window.canvas.getByRole("status").getByText("The clipboard holds no nodes").waitFor();
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await window.press("Control+v");
    await window.node("x_1").waitFor();
  });

  test("a right click and the menu key offer the commands of a node and of the canvas, and say why one cannot run", async ({
    window,
  }) => {
    const { page } = window;
    const item = (name: string | RegExp) => page.getByRole("menuitem", { name });
    await window.node("z").click({ button: "right" });
    await item(/^Pin selection to a task/).waitFor();
    expect(await selected(window)).toEqual(["z"]);
    await item(/^Rename the node/).click();
    await page.keyboard.type("sum");
    await window.press("Enter");
    await window.node("sum").waitFor();

    // By keyboard, on the selected node.
    await window.canvas.focus();
    await window.press("Shift+F10");
    await item(/^Duplicate nodes/).click();
    await window.nodes.nth(5).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.hasAttribute('data-canvas')")).toBe(true);

    await window.press("Escape");
    await window.press("ContextMenu");
    await item(/^Add an op here/).click();
    await page.getByRole("combobox", { name: "Search an op to add" }).fill("Square");
    await page.getByRole("option", { name: "Square", exact: true }).waitFor();
    await window.press("Enter");
    await window.nodes.nth(6).waitFor();

    const canvas = await window.canvas.boundingBox();
    if (canvas === null) throw new Error("There is no canvas.");
    await window.press("Control+a");
    await window.press("Delete");
    await page.getByText("Drag an op here").waitFor();
    await page.mouse.click(canvas.x + 40, canvas.y + 90, { button: "right" });
    await item(/Select all nodes/)
      .getByText("The graph has no nodes.")
      .waitFor();
    expect(await item(/Select all nodes/).getAttribute("aria-disabled")).toBe("true");
  });

  test("stays useful in a smaller window: the graph and what is added are in view, and the minimap button says what is", async ({
    window,
  }) => {
    const { page } = window;
    await page.setViewportSize({ width: 900, height: 600 });
    const inView = async (name: string) => {
      const node = await window.node(name).boundingBox();
      const canvas = await window.canvas.boundingBox();
      return (
        node !== null &&
        canvas !== null &&
        node.x >= canvas.x &&
        node.y >= canvas.y &&
        node.x + node.width <= canvas.x + canvas.width &&
        node.y + node.height <= canvas.y + canvas.height
      );
    };
    for (const name of ["a", "b", "x", "y", "z"]) await expect.poll(() => inView(name)).toBe(true);

    await page.getByRole("tab", { name: "Ops" }).click();
    await page.getByLabel("Search ops").fill("Neg");
    await window.dragToCanvas(page.getByRole("treeitem", { name: /^Neg\b/ }).first(), 0.97, 0.96);
    await window.node("Neg").waitFor();
    await expect.poll(() => inView("Neg")).toBe(true);

    const button = window.button("Minimap");
    const map = page.getByRole("img", { name: "Minimap" });
    expect(await map.count()).toBe(0);
    expect(await button.getAttribute("aria-pressed")).toBe("false");
    await button.click();
    await map.waitFor();
    expect(await button.getAttribute("aria-pressed")).toBe("true");
  });

  test("50,000 nodes in a chain open, are panned to the end, renamed, pinned and taken back, with their edges in view", async ({
    window,
    app,
  }) => {
    const { page } = window;
    const type = new Map([["T", { value: { $case: "type" as const, value: DataType.DT_FLOAT } }]]);
    const dtype = new Map([["dtype", { value: { $case: "type" as const, value: DataType.DT_FLOAT } }]]);
    const count = 50_000;
    const device = "/job:worker/task:0";
    const nodes = Array.from({ length: count }, (_, index) =>
      index === 0
        ? { ...NodeDef.fromPartial({ name: "n0", op: "Placeholder", device }), attr: dtype }
        : {
            ...NodeDef.fromPartial({ name: `n${index}`, op: "Neg", input: [`n${index - 1}`], device }),
            attr: type,
          },
    );
    const graph = { ...GraphDef.fromPartial({}), node: nodes };
    writeFileSync(join(app.folder, "chain.pb"), GraphDef.encode(graph).finish());
    await window.openFile("chain.pb");
    await window.canvas.getByText("50,000 nodes").waitFor();
    expect(await window.nodes.count()).toBeLessThan(1000);

    await window.press("Control+f");
    await page.getByLabel("Find a node").fill("n49990");
    await window.press("Enter");
    await window.press("l");
    await window.node("n49990").waitFor();
    const edge = page.locator('.react-flow__edge[data-id="n49990 0"] .react-flow__edge-path');
    await edge.waitFor({ state: "attached" });
    // Close to the origin, whose digits are those of 32-bit numbers, and between the two nodes.
    const path = (await edge.getAttribute("d")) ?? "";
    for (const [number] of path.matchAll(/-?[\d.]+/g)) expect(Math.abs(Number(number))).toBeLessThan(100_000);
    const from = await window.node("n49989").boundingBox();
    const to = await window.node("n49990").boundingBox();
    const line = await edge.boundingBox();
    expect(line?.x).toBeGreaterThan((from?.x ?? 0) + (from?.width ?? 0) - 2);
    expect((line?.x ?? 0) + (line?.width ?? 0)).toBeLessThan((to?.x ?? 0) + 2);

    await window.select("n49990");
    await window.inspector.getByRole("textbox", { name: "Name" }).fill("renamed");
    await window.press("Enter");
    await window.node("renamed").waitFor();
    await window.canvas.focus();
    await window.press("Control+a");
    await window.canvas.getByText("50,000 selected").waitFor();
    await window.press("Shift+F10");
    await page.getByRole("menuitem", { name: /^Unpin selection/ }).click();
    await window.chip("renamed").getByText("auto").waitFor();
    await window.press("Control+z");
    await window.chip("renamed").getByText("worker/0").waitFor();
    await window.press("Control+z");
    await window.node("n49990").waitFor();
  });
});
