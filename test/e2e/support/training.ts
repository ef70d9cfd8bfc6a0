/** Trainings that several tests begin in the same way. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { lineGraph } from "../../support/line-graph.js";
import type { WindowPage } from "./window-page.js";

/** Writes `line.meta`, a graph that can be made trainable. */
export function writeLine(folder: string): void {
  writeFileSync(join(folder, "line.meta"), MetaGraphDef.encode(lineGraph().toMetaGraphDef()).finish());
}

/** Makes the open graph trainable by the dialog. @param scheme the name of the replication's radio button */
export async function makeTrainable(window: WindowPage, learningRate: string, scheme: RegExp): Promise<void> {
  const { page } = window;
  await window.press("Control+k");
  await page.getByRole("combobox", { name: /commands/i }).fill("Make trainable");
  await window.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Make trainable" });
  await dialog.getByLabel("Learning rate").fill(learningRate);
  await dialog.getByRole("radio", { name: scheme }).check();
  await dialog.getByRole("button", { name: "Make trainable" }).click();
  await dialog.waitFor({ state: "hidden" });
}
