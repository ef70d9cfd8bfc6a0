/** Drawing with help: nodes inserted on edges, shapes that are made to fit, frames and notes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** A point of the screen on an edge. */
async function onEdge({ page }: WindowPage, id: string): Promise<{ x: number; y: number }> {
  return page
    .locator(`.react-flow__edge[data-id="${id}"] path`)
    .first()
    .evaluate((path) => {
      if (!(path instanceof SVGPathElement)) throw new Error("The edge is not drawn.");
      const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
      const matrix = path.getScreenCTM();
      if (!matrix) throw new Error("The edge is not in the page.");
      const point = new DOMPoint(x, y).matrixTransform(matrix);
      return { x: point.x, y: point.y };
    });
}

/** a is a matrix of 2 rows and 3 columns, as is b, so that their product needs one of them transposed. */
const MISFIT = `graph_def {
  node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 3 } } float_val: 1 } } } }
  node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 3 } } float_val: 2 } } } }
  node { name: "product" op: "MatMul" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "sum" op: "Identity" input: "product" attr { key: "T" value { type: DT_FLOAT } } }
}`;

describe.skipIf(peerMissing("chromium"))("drawing", () => {
  test("an op dropped on an edge is inserted there, and deleting it with its edges kept undoes that", async ({
    window,
  }) => {
    const { page } = window;
    await window.startTwoWorkers();
    await page.getByRole("tab", { name: "Ops" }).click();
    await page.getByLabel("Search ops").fill("Neg");
    const row = page.getByRole("treeitem", { name: /^Neg\b/ }).first();
    const canvas = await window.canvas.boundingBox();
    const point = await onEdge(window, "z 0");
    if (!canvas) throw new Error("There is no canvas.");
    await window.dragToCanvas(row, (point.x - canvas.x) / canvas.width, (point.y - canvas.y) / canvas.height);
    await window.node("Neg").waitFor();
    await window.runAndSee("z", "1.0");
    await window.select("Neg");
    await window.press("Shift+Delete");
    await window.node("Neg").waitFor({ state: "detached" });
    await window.runAndSee("z", "11.0");
  });

  test("double clicks rename a node by its title and add one on the empty canvas", async ({ window }) => {
    await window.node("x").locator("[data-node-head]").dblclick();
    const name = window.inspector.getByRole("textbox", { name: "Name" });
    await expect.poll(() => name.evaluate((element) => element === document.activeElement)).toBe(true);
    await window.page.keyboard.type("sum");
    await window.press("Enter");
    await window.node("sum").waitFor();
    await window.canvas.dblclick({ position: { x: 60, y: 200 } });
    await window.page.getByRole("combobox", { name: "Search an op to add" }).fill("neg");
    await window.press("Enter");
    await window.node("Neg").waitFor();
  });

  test("shapes that do not fit are told in words, and fixed with one click", async ({ window, app }) => {
    writeFileSync(join(app.folder, "misfit.pbtxt"), MISFIT);
    await window.startTwoWorkers();
    await window.openFile("misfit.pbtxt");
    await window.node("product").getByText("shapes differ").waitFor();
    await window.select("product");
    await window.inspector
      .getByText("a (a) is [2, 3], b (b) is [1, 3]: the inner sizes, 3 and 1, must be equal.")
      .waitFor();
    // Under the node, too, and by keyboard.
    await window.press("Control+.");
    const card = window.page.getByRole("region", { name: "What is wrong with product" });
    await expect.poll(() => card.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await card.getByRole("button", { name: "Transpose b" }).press("Enter");
    await card.waitFor({ state: "detached" });
    await expect.poll(() => window.node("product").getByText("shapes differ").count()).toBe(0);
    await window.runAndSee("sum", "[2,1]");
  });

  test("a frame moves its nodes, and is saved with its title and a note", async ({ window, app }) => {
    const { page } = window;
    await window.select("x");
    await page.locator('.react-flow__node[data-id="y"]').click({ modifiers: ["Shift"] });
    await window.canvas.focus();
    await window.press("g");
    await page.getByRole("textbox", { name: "Title of the frame" }).fill("Products");
    await page.keyboard.press("Enter");
    const frame = page.getByRole("region", { name: "Frame Products" });
    const [before, other] = [await window.node("x").boundingBox(), await window.node("z").boundingBox()];
    const title = await frame.getByRole("button", { name: "Products", exact: true }).boundingBox();
    if (!before || !title) throw new Error("The frame is not in view.");
    await page.mouse.move(title.x + title.width / 2, title.y + title.height / 2);
    await page.mouse.down();
    await page.mouse.move(title.x + title.width / 2, title.y + title.height / 2 + 64, { steps: 8 });
    await page.mouse.up();
    await expect.poll(async () => (await window.node("x").boundingBox())?.y).toBeGreaterThan(before.y + 40);
    expect(await window.node("z").boundingBox()).toEqual(other);

    await window.canvas.focus();
    await window.press("Escape");
    await window.press("n");
    await page.getByRole("textbox", { name: "Text of the note" }).fill("Both read a and b.");
    await page.keyboard.press("Enter");
    await window.saveAs("framed");
    expect(readFileSync(join(app.folder, "framed.pbtxt"), "utf8")).toContain("Both read a and b.");
    await window.undoButton.click();
    await window.undoButton.click();
    await window.undoButton.click();
    await expect.poll(() => window.node("x").boundingBox()).toEqual(before);
  });
});
