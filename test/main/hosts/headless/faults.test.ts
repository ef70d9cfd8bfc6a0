/** Errors that nobody handles, in a program of its own: they are logged, and the program and its tasks go on. */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ClusterState } from "../../../../main/api/cluster.js";
import {
  environmentWithoutProxies,
  type PeerProcess,
  repositoryRoot,
  spawnPeer,
} from "../../../support/peers.js";
import { openWindow, type TestWindow } from "../../support/window.js";

const program = join(repositoryRoot, "build/out/main/hosts/headless/main.js");
const onWindows = process.platform === "win32";
/** Has the program throw where nobody handles it, when it is sent SIGPIPE. */
const plant = `process.on("SIGPIPE", () => {
  Promise.reject(new Error("planted rejection"));
  setImmediate(() => { throw new Error("planted exception"); });
});`;

let dataDir: string;
let host: PeerProcess;
let window: TestWindow;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-faults-"));
  const importing = `data:text/javascript,${encodeURIComponent(plant)}`;
  host = await spawnPeer(
    process.execPath,
    ["--import", importing, program, "--port", "0", "--data-dir", dataDir],
    {
      ready: /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m,
      env: { ...environmentWithoutProxies(), TENSORDECK_NETWORK: "loopback" },
    },
  );
  window = await openWindow(host.match?.[1] ?? "");
});
afterEach(async () => {
  window.close();
  await host.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function lockPort(): Promise<number> {
  return (JSON.parse(await readFile(join(dataDir, "instance.json"), "utf8")) as { port: number }).port;
}

/** Connects and does something with the connection; resolves when that is closed. */
async function disturb(port: number, act: (socket: Socket) => void): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  act(socket);
  await closed;
}

test("nothing that any account sends to the lock's port ends the program", async () => {
  const port = await lockPort();
  const acts: ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.end(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end("half a line"),
    (socket) => socket.write("garbage\n"),
    (socket) => socket.write(Buffer.alloc(1 << 20, 0xff)),
    (socket) => socket.write("begun", () => socket.resetAndDestroy()),
    // Says nothing until it is cut off.
    () => undefined,
  ];
  const flood = Array.from({ length: 300 }, () => disturb(port, () => undefined));
  // The others give way to those that follow, or are cut off with the silent one.
  await Promise.all(flood.slice(0, 200));
  await Promise.all([...flood, ...acts.map((act) => disturb(port, act))]);
  expect(await window.call("settings.get")).toMatchObject({ visible: true });
  expect(host.output()).not.toContain("A fault in Tensordeck");
});

test.skipIf(onWindows)("what nobody handles is told with its stack, and tasks go on", async () => {
  const runs = ({ machines }: ClusterState) => machines[0]?.tasks[0]?.state === "running";
  const up = window.next("cluster", runs);
  await window.call("cluster.addTasks", { job: "worker", count: 1, engine: "portable" });
  const before = (await up).machines[0]?.tasks[0];
  host.child.kill("SIGPIPE");
  for (const kind of ["rejection", "exception"]) {
    await host.waitForOutput(
      new RegExp(`A fault in Tensordeck; please report it\\. Error: planted ${kind}\n +at `),
    );
  }
  const now = (await window.call("cluster.get")).machines[0]?.tasks[0];
  expect(now).toMatchObject({ state: "running", id: before?.id, pid: before?.pid });
});
