import { afterAll, describe, expect } from "vitest";
import { environmentWithoutProxies, peerMissing, spawnPeer, tensorflowPython } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("tensorflow", "chromium"))("an exported graph", () => {
  test("is a Python script that runs on the tasks of the window", async ({ window }) => {
    await window.startTwoWorkers();
    await window.page.getByRole("button", { name: "Menu", exact: true }).click();
    await window.page.getByRole("menuitem", { name: "Export" }).press("ArrowRight");
    const downloading = window.page.waitForEvent("download");
    await window.page.getByRole("menuitem", { name: /^Python script/ }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/\.py$/);
    const env = { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" };
    const python = await spawnPeer(tensorflowPython(), [await download.path()], { env });
    expect((await python.exited).code, python.output()).toBe(0);
    expect(python.stdout()).toContain("z:0 11.0");
  });
});
