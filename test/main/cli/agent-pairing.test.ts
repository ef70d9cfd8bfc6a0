/** Two agents as programs: one is paired with from the window of the other, by what it prints. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  environmentWithoutProxies,
  type PeerProcess,
  repositoryRoot,
  spawnPeer,
} from "../../support/peers.js";
import { openWindow, type TestWindow } from "../support/window.js";

const program = join(repositoryRoot, "build/bin/tensordeck.mjs");
const env = { ...environmentWithoutProxies(), TENSORDECK_NETWORK: "loopback" };

interface RunningAgent {
  readonly dataDir: string;
  readonly process: PeerProcess;
  readonly deviceId: string;
  readonly address: string;
}

let pi: RunningAgent;
let laptop: RunningAgent;
let window: TestWindow;

async function start(name: string): Promise<RunningAgent> {
  const dataDir = await mkdtemp(join(tmpdir(), `tensordeck-${name}-`));
  const args = [program, "agent", "--data-dir", dataDir, "--port", "0", "--name", name];
  const process = await spawnPeer(globalThis.process.execPath, args, {
    ready: /^agent listening on port (\d+)$/m,
    env,
  });
  const deviceId = /^device ID (\S+)$/m.exec(process.output())?.[1] ?? "";
  return { dataDir, process, deviceId, address: `127.0.0.1:${process.match?.[1]}` };
}

async function tensordeck(...args: string[]): Promise<string> {
  const peer = await spawnPeer(process.execPath, [program, ...args], { env });
  await peer.exited;
  return peer.stdout();
}

beforeEach(async () => {
  [pi, laptop] = await Promise.all([start("pi"), start("laptop")]);
  const link = await tensordeck("agent", "link", "--data-dir", laptop.dataDir);
  window = await openWindow(link.replace("open ", "").trim());
});

afterEach(async () => {
  window.close();
  await Promise.all([pi.process.stop(), laptop.process.stop()]);
  await Promise.all([pi, laptop].map(({ dataDir }) => rm(dataDir, { recursive: true })));
});

function online(name: string) {
  return window.next("cluster", ({ machines }) =>
    machines.some(
      (machine) => machine.kind === "paired" && machine.name === name && machine.presence === "online",
    ),
  );
}

describe("a headless machine", () => {
  test("prints the code that the other one's user types, and is then online there", async () => {
    const machineId = await window.call("machines.add", { address: pi.address });
    expect(machineId).toBe(pi.deviceId);
    const asked = window.next("pairing", (state) => state?.step === "code");
    await window.call("pairing.start", { machineId, grantedRole: "view" });
    const [, code = ""] = await pi.process.waitForOutput(/asks to pair; type this code there: (\d{6})$/m);
    await asked;
    const paired = window.next("pairing", (state) => state?.step === "paired");
    const isOnline = online("pi");
    await window.call("pairing.enterCode", { code });
    expect(await paired).toMatchObject({ role: "run", grantedRole: "view" });
    await isOnline;
    await pi.process.waitForOutput(
      /^paired with laptop \(127\.0\.0\.1[^)]*\), which has the role run here$/m,
    );
  });

  test("needs no code for a device ID that it was told to trust, and shows its window to a manager", async () => {
    const told = await tensordeck(
      "agent",
      "trust",
      laptop.deviceId,
      "--role",
      "manage",
      "--data-dir",
      pi.dataDir,
    );
    expect(told).toContain("may pair without a code");
    await window.call("machines.add", { address: pi.address });
    await window.call("machines.add", { address: pi.deviceId });
    const paired = window.next("pairing", (state) => state?.step === "paired");
    const isOnline = online("pi");
    await window.call("pairing.start", { machineId: pi.deviceId, grantedRole: "view" });
    expect(await paired).toMatchObject({ role: "manage" });
    await isOnline;
    expect(pi.process.output()).not.toMatch(/code/);

    const other = await openWindow(await window.call("machines.openWindow", { machineId: pi.deviceId }));
    expect(await other.call("machines.identity")).toMatchObject({ deviceId: pi.deviceId, name: "pi" });
    other.close();

    const refused = window.next("cluster", ({ machines }) =>
      machines.some(({ id, role }) => id === pi.deviceId && role === "view"),
    );
    const lowered = await tensordeck(
      "agent",
      "trust",
      laptop.deviceId,
      "--role",
      "view",
      "--data-dir",
      pi.dataDir,
    );
    expect(lowered).toBe("laptop is paired and now has the role view here.\n");
    expect((await refused).machines).toHaveLength(2);
    await expect(window.call("machines.openWindow", { machineId: pi.deviceId })).rejects.toMatchObject({
      problem: { code: "PERMISSION_DENIED" },
    });
  });
});
