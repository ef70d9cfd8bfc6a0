/** The commonest failure: the firewall of a paired machine drops what comes to its agent's port. */
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Reachability, reachabilitySchema } from "../../main/api/reachability.js";
import { closeBrowser, sharedBrowser } from "../e2e/support/fixtures.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { failurePicture } from "../support/pictures.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { Installation } from "./support/installation.js";
import { type CommandResult, Network } from "./support/network.js";

const PROGRAM = `${repositoryRoot}/build/bin/tensordeck.mjs`;

const FIREWALL = `
table inet filter {
  chain input {
    type filter hook input priority 0; policy accept;
    iifname "eth0" tcp dport 2220 drop
  }
}
`;

const NO_PINGS = `
table inet pings {
  chain input {
    type filter hook input priority 0; policy accept;
    meta l4proto { icmp, ipv6-icmp } drop
  }
}
`;

describe.skipIf(peerMissing("namespaces", "chromium"))("a machine whose agent is shut off", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;
  let piId: string;
  let window: WindowPage | undefined;

  beforeAll(async () => {
    network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
    [gpuPc, pi] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
    piId = await pi.id();
    await gpuPc.pairWith(pi);
    await pi.machine(await gpuPc.id(), ({ presence }) => presence === "online");
    await pi.host.run("nft", ["-f", "-"], { input: FIREWALL });
    await gpuPc.machine(piId, ({ presence }) => presence === "offline");
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    await window?.page.screenshot({ path: failurePicture("net-blocked-agent") });
  });

  afterAll(async () => {
    await window?.close();
    await Promise.all([gpuPc?.stop(), pi?.stop()]);
    await closeBrowser();
    await network?.dispose();
  });

  test("is tested layer by layer from the other one, and explained there", async () => {
    const { routes } = await gpuPc.api.next("reachability", (state) =>
      state.routes.some(({ to, outcome }) => to === piId && outcome === "failed"),
    );
    const route = routes.find(({ to }) => to === piId);
    const seen = route?.layers.map(({ layer, outcome, cause }) => [layer, outcome, cause]);
    expect(seen).toEqual([
      ["name", "skipped", undefined],
      ["ping", "ok", undefined],
      ["tcp", "failed", "timed-out"],
      ["tls", "skipped", undefined],
    ]);
    expect(route?.problem?.message).toBe(
      "gpu-pc reaches raspberrypi, but port 2220 does not answer: raspberrypi's firewall drops it.",
    );
    expect(route?.problem?.reason).toContain("raspberrypi reaches gpu-pc");
    expect(route?.problem?.remedy).toContain("Let TCP port 2220 in on raspberrypi");
    expect(route?.firewallOf).toBeUndefined();
    const { diagnoses } = await gpuPc.api.call("reachability.get");
    expect(diagnoses).toMatchObject([{ severity: "error", machineId: piId }]);
  });

  test("shows in the window of the other one, with its layers", async () => {
    window = await WindowPage.open(await sharedBrowser(), await gpuPc.newLink());
    await window.ready();
    const { page } = window;
    await page.getByRole("region", { name: "Links between machines" }).waitFor();
    await page.getByRole("button", { name: "gpu-pc to raspberrypi: fails" }).click();
    await page.getByText("raspberrypi's firewall drops it", { exact: false }).first().waitFor();
    await page.getByText("timed out", { exact: false }).first().waitFor();
  });

  /** Runs the doctor of an installation. */
  async function doctor(on: Installation): Promise<CommandResult> {
    const collecting = pathToFileURL(`${repositoryRoot}/test/support/collect-often.mjs`);
    const env = { TENSORDECK_DATA_DIR: `${on.folder}/data`, NODE_OPTIONS: `--import=${collecting}` };
    return await on.host.exec(process.execPath, [PROGRAM, "doctor", "--json"], {
      env: { ...environmentWithoutProxies(), ...env },
    });
  }

  const problemsOf = ({ diagnoses }: Pick<Reachability, "diagnoses">) =>
    diagnoses
      .filter(({ severity }) => severity !== "info")
      .map(({ id, problem: { message, reason, remedy } }) => ({
        ...{ id, message, remedy },
        // No two pings take the same time.
        reason: reason?.replace(/[\d.]+ ms/, "… ms"),
      }));

  test("is told by the other one's doctor in the words of its window", async () => {
    const { code, stdout } = await doctor(gpuPc);
    const told = problemsOf(reachabilitySchema.parse(JSON.parse(stdout)));
    expect(told).toEqual(problemsOf(await gpuPc.api.call("reachability.get")));
    expect(told[0]?.message).toContain("raspberrypi's firewall drops it");
    expect(code).toBe(1);
  });

  test("is told in the same words where its firewall drops pings as well", async () => {
    await pi.host.run("nft", ["-f", "-"], { input: NO_PINGS });
    await gpuPc.api.call("reachability.check");
    const window = await gpuPc.api.next("reachability", ({ state }) => state === "done");
    const { code, stdout } = await doctor(gpuPc);
    const told = problemsOf(reachabilitySchema.parse(JSON.parse(stdout)));
    expect(told).toEqual(problemsOf(window));
    expect(told[0]?.message).toContain("raspberrypi's firewall drops it");
    expect(code).toBe(1);
    await pi.host.run("nft", ["delete", "table", "inet", "pings"]);
  });

  test("says so itself: its doctor, like its window, has the other one dial", async () => {
    await pi.api.call("reachability.check");
    const window = await pi.api.next("reachability", ({ state }) => state === "done");
    const { code, stdout } = await doctor(pi);
    const told = problemsOf(reachabilitySchema.parse(JSON.parse(stdout)));
    expect(told).toEqual(problemsOf(window));
    expect(told[0]?.message).toContain(
      "gpu-pc reaches raspberrypi, but port 2220 does not answer: raspberrypi's firewall (nftables",
    );
    expect(code).toBe(1);
  });

  test("is mended there by the wizard, which the other one tests though nobody named it", async () => {
    await pi.api.call("firewall.open", { machineId: piId });
    const found = await pi.api.next("firewall", (state) => state !== undefined && !state.busy);
    expect(found?.headline).toBe("raspberrypi's firewall drops the connection");
    expect(found?.proof).toContainEqual(expect.objectContaining({ outcome: "failed" }));
    const planned = pi.api.next("firewall", (state) => state?.plan !== undefined && !state.busy);
    await pi.api.call("firewall.goTo", { step: "change" });
    expect((await planned)?.plan?.notes.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^inet filter input lets in everything but what this rule of yours denies: /),
    );
    const applied = pi.api.next("firewall", (state) => state?.step === "verify" && !state.busy);
    await pi.api.call("firewall.apply");
    expect((await applied)?.headline).toBe("gpu-pc reaches raspberrypi");
    await gpuPc.machine(piId, ({ presence }) => presence === "online");
    await gpuPc.api.call("reachability.check");
    await gpuPc.api.next(
      "reachability",
      ({ routes }) => routes.length > 0 && routes.every(({ outcome }) => outcome === "ok"),
    );
  });
});
