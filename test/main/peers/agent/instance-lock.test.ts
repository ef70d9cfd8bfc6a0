import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  askInstance,
  InstanceLock,
  type KnownPeers,
  knownPeersSchema,
} from "../../../../main/peers/agent/instance-lock.js";

let dataDir: string;
let locks: InstanceLock[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-lock-"));
  locks = [];
});

afterEach(async () => {
  await Promise.all(locks.map((lock) => lock.release()));
  await rm(dataDir, { recursive: true, force: true });
});

async function claim(onLink = () => "http://127.0.0.1:1/"): Promise<InstanceLock> {
  const lock = await InstanceLock.claim(dataDir, { link: onLink });
  locks.push(lock);
  return lock;
}

const refused = {
  problem: {
    code: "FAILED_PRECONDITION",
    message: `Tensordeck is already running here, as process ${process.pid}.`,
  },
};

test("one process at a time has the data folder, and can be asked", async () => {
  expect(await askInstance(dataDir, "pid")).toBeUndefined();
  const lock = await claim();
  if (process.platform !== "win32") {
    expect((await stat(join(dataDir, "instance.json"))).mode & 0o777).toBe(0o600);
  }
  expect(await askInstance(dataDir, "pid")).toBe(String(process.pid));
  expect(await askInstance(dataDir, "link")).toBe("http://127.0.0.1:1/");
  await expect(claim()).rejects.toMatchObject(refused);
  await lock.release();
  expect(await readdir(dataDir)).toEqual([]);
  await claim();
});

test("of several that start at once one gets it", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => claim()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(failures).toHaveLength(7);
  for (const failure of failures) expect(failure).toMatchObject(refused);
  expect(await readdir(dataDir)).toEqual(["instance.json"]);
});

test("what a process that was killed left behind is taken over, also by several at once", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const left = JSON.stringify({ pid: process.pid, port, secret: "x" });
  await writeFile(join(dataDir, "instance.json"), left);
  expect(await askInstance(dataDir, "link")).toBeUndefined();
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => claim()));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await askInstance(dataDir, "pid")).toBe(String(process.pid));
});

test.each(["", "{", '{"pid":1}', "\u0000\u0001"])(
  "a file that says nothing is replaced: %j",
  async (text) => {
    await writeFile(join(dataDir, "instance.json"), text);
    await claim();
    expect(await askInstance(dataDir, "pid")).toBe(String(process.pid));
  },
);

test("a port that another program got since then is not taken for the process", async () => {
  const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await writeFile(join(dataDir, "instance.json"), JSON.stringify({ pid: process.pid, port, secret: "x" }));
  await claim();
  server.close();
});

test("without the secret nothing is answered", async () => {
  await claim();
  const { port } = JSON.parse(await readFile(join(dataDir, "instance.json"), "utf8")) as { port: number };
  for (const line of ['{"secret":"guess","command":"link"}\n', "garbage\n", `${"x".repeat(10_000)}`]) {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    socket.on("error", () => undefined);
    socket.write(line);
    await once(socket, "close");
    expect(answer).toBe("");
  }
});

test("what it has learned of other machines can be asked", async () => {
  let known: KnownPeers | undefined;
  locks.push(await InstanceLock.claim(dataDir, { link: () => "", peers: () => known }));
  const asked = async () =>
    knownPeersSchema.parse(JSON.parse((await askInstance(dataDir, "peers")) ?? "null"));
  expect(await asked()).toEqual({ clones: {}, callers: [] });
  known = { clones: { a: ["10.0.0.1:2220", "10.0.0.2:2220"] }, callers: ["b"] };
  expect(await asked()).toEqual(known);
});

test("a link that cannot be given says why", async () => {
  await claim(() => {
    throw new Error("no window");
  });
  await expect(askInstance(dataDir, "link")).rejects.toMatchObject({ problem: { message: "no window" } });
});
