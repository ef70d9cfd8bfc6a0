/** Two real installations, as of the desktop program, driven through their windows in a real browser. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeBrowser, sharedBrowser } from "../e2e/support/fixtures.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { peerMissing } from "../support/peers.js";
import { failurePicture } from "../support/pictures.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";

/** Lets in what Tensordeck needs to pair, and nothing else: tasks are blocked. */
const FIREWALL = `
table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    iif lo accept
    ct state established,related accept
    meta l4proto { icmp, ipv6-icmp } accept
    tcp dport 2220 accept
    udp dport 5353 accept
  }
}
`;

describe.skipIf(peerMissing("namespaces", "nftables", "chromium", "electron-node"))(
  "two machines and a browser",
  () => {
    let network: Network;
    let gpuPc: Installation;
    let pi: Installation;
    let window: WindowPage;
    let piWindow: WindowPage;

    beforeAll(async () => {
      network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
      [gpuPc, pi] = await Promise.all([
        Installation.start(network.host("gpu-pc"), { onElectronNode: true }),
        Installation.start(network.host("raspberrypi"), { onElectronNode: true }),
      ]);
      const browser = await sharedBrowser();
      [window, piWindow] = await Promise.all([
        WindowPage.open(browser, await gpuPc.newLink()),
        WindowPage.open(browser, await pi.newLink()),
      ]);
      await Promise.all([window.ready(), piWindow.ready()]);
    });

    afterEach(async ({ task }) => {
      if (task.result?.state !== "fail") return;
      await window?.page.screenshot({ path: failurePicture("net-gpu-pc") });
      await piWindow?.page.screenshot({ path: failurePicture("net-raspberrypi") });
    });

    afterAll(async () => {
      await Promise.all([window?.close(), piWindow?.close()]);
      await Promise.all([gpuPc?.stop(), pi?.stop()]);
      await closeBrowser();
      await network?.dispose();
    });

    const machine = (name: string) =>
      window.page.getByRole("tree", { name: "Cluster" }).getByRole("treeitem", {
        name: new RegExp(`^${name},`),
      });

    async function pair(): Promise<void> {
      await window.button("Pair with raspberrypi").click();
      const digits = await piWindow.pairingCode("gpu-pc");
      expect(digits).toMatch(/^\d{6}$/);
      const shown = piWindow.page.getByRole("dialog", { name: "gpu-pc wants to pair" });
      await shown.getByRole("radio", { name: "Manage" }).click();
      const dialog = window.page.getByRole("dialog", { name: "Pair with raspberrypi" });
      await dialog.getByRole("textbox").first().click();
      await window.page.keyboard.type(digits);
      await dialog.getByRole("button", { name: "Pair", exact: true }).click();
    }

    async function running(name: string): Promise<void> {
      await window
        .task(name)
        .and(window.page.getByRole("treeitem", { name: /, running,/ }))
        .waitFor();
    }

    test("machines are paired and given workers, run a graph, are mended when blocked, and are seen gone", async () => {
      await pair();
      const paired = window.page.getByRole("dialog", { name: "Paired with raspberrypi" });
      await paired.getByRole("button", { name: "Add worker" }).click();
      await running("worker/0");
      await window.button("Start worker/1").click();
      await running("worker/1");
      await window.runAndSee("z", "11.0");

      // Plain gRPC on the network, and a firewall that lets only the agents talk.
      await pi.host.run("nft", ["-f", "-"], { input: FIREWALL });
      await pi.api.call("settings.set", { allowExposedTasks: true });
      await gpuPc.cluster(({ machines }) =>
        machines.some(({ exposure, kind }) => kind === "paired" && exposure?.allowed),
      );
      await gpuPc.api.call("cluster.setAccess", { access: "open" });
      await window.button(/^Fix/).first().click();
      const wizard = window.page.getByRole("dialog", { name: "Let gpu-pc reach raspberrypi" });
      await wizard.getByRole("heading", { name: /firewall drops the connection/ }).waitFor();
      await wizard.getByRole("button", { name: "Next" }).click();
      await wizard.getByText(/no password/).waitFor();
      await wizard.getByRole("button", { name: /^Apply/ }).click();
      await wizard.getByRole("heading", { name: "gpu-pc reaches raspberrypi" }).waitFor();
      await wizard.getByRole("button", { name: "Done" }).click();
      await window.runAndSee("z", "11.0");

      const killed = performance.now();
      await pi.process.stop("SIGKILL");
      await machine("raspberrypi")
        .and(window.page.getByRole("treeitem", { name: /offline/ }))
        .waitFor();
      console.log(`Seen offline ${Math.round(performance.now() - killed)} ms after its end.`);
      expect(window.errors).toEqual([]);
    });
  },
);
