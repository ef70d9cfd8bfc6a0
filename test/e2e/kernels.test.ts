/** Nodes that a portable task cannot run are named in the window before anything is run. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import type { RunningApp } from "./support/app.js";
import { closeBrowser, test } from "./support/fixtures.js";
import type { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** SdcaFprint makes fingerprints of texts: an op that the portable engine has no use for. */
const fingerprint = (name: string, device: string) => `
node {
  name: "${name}" op: "SdcaFprint" input: "words" device: "${device}"
}`;

const WORDS = `
node {
  name: "words" op: "Const"
  attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "deck" } } }
}
node {
  name: "same" op: "Identity" input: "words" device: "/job:worker/task:1"
  attr { key: "T" value { type: DT_STRING } }
}`;

const FILE = "fingerprints.pbtxt";

async function openGraph(app: RunningApp, window: WindowPage): Promise<void> {
  const worker1 = "/job:worker/task:1";
  writeFileSync(join(app.folder, FILE), WORDS + fingerprint("one", worker1) + fingerprint("two", worker1));
  await window.openFile(FILE);
  await window.node("two").waitFor();
}

describe.skipIf(peerMissing("chromium"))("a machine without TensorFlow", () => {
  test("marks the nodes that no task here could run when the graph is opened, and lets it be run", async ({
    app,
    window,
  }) => {
    await openGraph(app, window);
    // Nothing was started: worker/1 would get the engine that this machine has.
    for (const name of ["one", "two"]) await window.node(name).getByText("no kernel").waitFor();
    expect(await window.node("same").getByText("no kernel").count()).toBe(0);
    await window.canvas.getByText("2 nodes have no kernel on worker/1", { exact: true }).waitFor();
    await window.button("What to do").click();
    const row = window.page.getByRole("status").filter({ hasText: "SdcaFprint" });
    await row
      .getByText("2 nodes have no kernel on worker/1 (portable engine): SdcaFprint.", { exact: true })
      .waitFor();
    await row.getByText(/The cluster has no worker\/1 yet: it would start with that engine/).waitFor();

    await window.button("Start 2 workers").click();
    await window
      .task("worker/1")
      .and(window.page.getByRole("treeitem", { name: /, running,/ }))
      .waitFor();
    // The nodes stay marked, and a run is for the server to refuse; it names the first one.
    await window.runButton.click();
    await window.alerts
      .getByText(/has no kernel for 'SdcaFprint'/)
      .first()
      .waitFor();
    await window.node("two").getByText("no kernel").waitFor();
  });
});

describe.skipIf(peerMissing("tensorflow", "chromium"))("a portable task beside one with TensorFlow", () => {
  test.override({ appOptions: { engine: "tensorflow" } });

  test("one click gives the nodes to TensorFlow, and the graph runs", async ({ app, window }) => {
    const client = await ApiClient.connect(await app.newLink());
    await client.call("cluster.addTasks", { job: "worker", count: 1 });
    await client.call("cluster.addTasks", { job: "worker", count: 1, engine: "portable" });
    await client.runningTasks(2);
    client.close();
    await openGraph(app, window);
    await window.canvas.getByText("2 nodes have no kernel on worker/1", { exact: true }).waitFor();
    await window.page.getByRole("contentinfo").getByText("2 nodes without a kernel").waitFor();

    await window.select("one");
    const card = window.inspector.getByRole("status");
    await card.getByText("worker/1 (portable engine) has no kernel for SdcaFprint.").waitFor();
    await card.getByRole("button", { name: "Pin one to worker/0" }).waitFor();

    await window.button("What to do").click();
    await window.button("Pin 2 nodes to worker/0").click();
    for (const name of ["one", "two"]) await window.chip(name).getByText("worker/0").waitFor();
    await expect.poll(() => window.page.getByText(/no kernel/).count()).toBe(0);
    await window.runButton.click();
    await window.page
      .getByRole("contentinfo")
      .getByText(/step .*ms/)
      .waitFor();
    await window.node("one").locator("[data-node-value=result]").waitFor();

    await window.undoButton.click();
    await window.undoButton.waitFor();
    await window.chip("one").getByText("worker/1").waitFor();
    await window.canvas.getByText("2 nodes have no kernel on worker/1", { exact: true }).waitFor();
  });
});
