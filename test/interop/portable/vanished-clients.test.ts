/** Stock clients that are killed or cut off while they have sessions, against a portable worker. */
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  environmentWithoutProxies,
  type PeerProcess,
  peerMissing,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
} from "../../support/peers.js";
import { residentBytes } from "../../support/processes.js";
import { type StartedWorker, startWorker } from "../worker-peers.js";
import { breakableLine } from "./breakable-line.js";

/** TENSORDECK_MEMORY_CLIENTS: clients that are killed once the heap has grown; 20 in long runs. */
const CLIENTS = Number(process.env.TENSORDECK_MEMORY_CLIENTS ?? 3);
/** With these the heap grows to what the sessions that are kept and those of one client take, with their garbage. */
const FIRST_CLIENTS = 3;
const SESSIONS_PER_CLIENT = 10;
const MEGABYTES = 16;
/** The memory that a portable worker keeps of the sessions of clients that vanished. */
const KEPT = 8;
/** The memory that a garbage collector may leave for later; the sessions of two clients take more. */
const SLACK_BYTES = 250e6;
const CLOSED = /Closing session [0-9a-f]{16}, which lost the connection of its client\./g;

const script = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "sessions_left.py");

describe.skipIf(peerMissing("tensorflow"))("stock clients that vanish", () => {
  let worker: StartedWorker;
  beforeEach(async () => {
    worker = await startWorker(["--engine", "portable"]);
  });
  afterEach(() => worker?.stop());

  const closedSessions = (): number => [...worker.output().matchAll(CLOSED)].length;
  const memoryBytes = (): number => residentBytes(worker.pid);

  test("leave a few sessions behind, however many they had", { timeout: 600_000 }, async () => {
    const killOne = async (): Promise<void> => {
      const client = await startClient(worker.target, SESSIONS_PER_CLIENT, MEGABYTES);
      await client.stop("SIGKILL");
    };
    await killOne();
    await expect.poll(closedSessions).toBe(SESSIONS_PER_CLIENT - KEPT);
    for (let i = 1; i < FIRST_CLIENTS; i += 1) {
      await killOne();
    }
    const before = memoryBytes();
    for (let i = 0; i < CLIENTS; i += 1) {
      await killOne();
    }
    await expect.poll(closedSessions).toBe((FIRST_CLIENTS + CLIENTS) * SESSIONS_PER_CLIENT - KEPT);
    expect(memoryBytes() - before).toBeLessThan(SLACK_BYTES);
  });

  test("but come back go on with their sessions", async () => {
    const line = await breakableLine(worker.target);
    try {
      const client = await startClient(line.target, 1, 1);
      await line.cut();
      // Output from now on comes over a new connection.
      const done = stepsOf(client);
      line.mend();
      // One more may have been on its way to us.
      await client.waitForOutput(new RegExp(`^step ${done + 3}$`, "m"));
      expect(closedSessions()).toBe(0);
      await client.stop("SIGKILL");
    } finally {
      line.close();
    }
  });

  test("and come back too late are told in TensorFlow's words", async () => {
    const line = await breakableLine(worker.target);
    try {
      const late = await startClient(line.target, 1, 1);
      void line.cut();
      const other = await startClient(worker.target, KEPT, 1);
      await other.stop("SIGKILL");
      await expect.poll(closedSessions).toBe(1);
      line.mend();
      const [, handle] = await late.waitForOutput(/^ended AbortedError [\s\S]*Session (\w+) is not found\./m);
      expect(worker.output()).toContain(`Closing session ${handle},`);
      await late.exited;
    } finally {
      line.close();
    }
  });
});

function stepsOf(client: PeerProcess): number {
  return [...client.stdout().matchAll(/^step \d+$/gm)].length;
}

/** A stock client that has run a step in each of its sessions. */
function startClient(target: string, sessions: number, megabytes: number): Promise<PeerProcess> {
  return spawnPeer(tensorflowPython(), [script, target, String(sessions), String(megabytes)], {
    ready: /^open$/m,
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" },
  });
}
