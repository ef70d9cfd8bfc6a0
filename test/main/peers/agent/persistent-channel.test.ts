import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../support/until.js";
import { pair, TestAgent } from "./agents.js";
import { PausingProxy } from "./pausing-proxy.js";

let gpuPc: TestAgent;
let laptop: TestAgent;

beforeEach(async () => {
  [gpuPc, laptop] = await Promise.all([TestAgent.start("gpu-pc"), TestAgent.start("laptop")]);
  await pair(gpuPc, laptop, "run");
});

afterEach(async () => {
  await Promise.all([laptop.dispose(), gpuPc.dispose()]);
});

test("a machine that is restarted is online again soon", async () => {
  const connection = laptop.connect(gpuPc);
  const seen: string[] = [];
  connection.onFacts(() => {
    const { presence } = connection.facts();
    if (seen.at(-1) !== presence) seen.push(presence);
  });
  await until("gpu-pc is online", () => connection.facts().presence === "online");
  gpuPc.tasks.set(task("t1"));
  gpuPc.tasks.set(task("t2"));
  await until("two tasks", () => connection.tasks().length === 2);

  const { port } = gpuPc;
  await gpuPc.end();
  await until("gpu-pc is offline", () => connection.facts().presence === "offline");
  expect(connection.facts().problem).toMatchObject({ code: "UNAVAILABLE" });
  expect(connection.tasks()).toHaveLength(2);
  await expect(connection.stop("t1")).rejects.toMatchObject({ problem: { code: "UNAVAILABLE" } });

  await gpuPc.tasks.remove("t2");
  await gpuPc.listen(port);
  await until("gpu-pc is online again", () => connection.facts().presence === "online");
  expect(connection.facts().problem).toBeUndefined();
  expect(connection.tasks().map(({ id }) => id)).toEqual(["t1"]);
  expect(seen).toEqual(["online", "connecting", "offline", "online"]);
});

test("a machine that vanishes without a goodbye is offline, and online when it is back", async () => {
  const proxy = await PausingProxy.start(() => gpuPc.port);
  try {
    const connection = laptop.connect(gpuPc, () => [proxy.address]);
    await until("gpu-pc is online", () => connection.facts().presence === "online");
    proxy.pause();
    await until("gpu-pc is offline", () => connection.facts().presence === "offline");
    expect(connection.facts().problem?.message).toBe("gpu-pc no longer answers.");
    proxy.resume();
    connection.dialNow();
    await until("gpu-pc is online again", () => connection.facts().presence === "online");
  } finally {
    proxy.close();
  }
});

test("a new address is used at once when something was heard of the machine", async () => {
  const nowhere = "127.0.0.1:1";
  let addresses = [nowhere];
  const connection = laptop.connect(gpuPc, () => addresses);
  await until("gpu-pc is offline", () => connection.facts().presence === "offline");
  expect(connection.facts().problem?.message).toContain(nowhere);
  addresses = [nowhere, gpuPc.address];
  connection.dialNow();
  await until("gpu-pc is online", () => connection.facts().presence === "online");
});

test("another machine at its address is not taken for it", async () => {
  const other = await TestAgent.start("other");
  try {
    await pair(other, laptop, "manage");
    const connection = laptop.connect(gpuPc, () => [other.address]);
    await until("it is refused", () => connection.facts().presence === "offline");
    expect(connection.facts().problem?.code).toBe("UNAUTHENTICATED");
  } finally {
    await other.dispose();
  }
});

test("closing ends the streams on the other side, and with them its measuring", async () => {
  const connection = laptop.connect(gpuPc);
  await until("gpu-pc is online", () => connection.facts().presence === "online");
  gpuPc.tasks.set(task("t1"));
  await connection.log("t1", -1);
  await until("both streams are open", () => gpuPc.tasks.listeners === 4);
  expect(gpuPc.machine.sampleListeners.size).toBe(1);
  await connection.close();
  await until("both streams are over", () => gpuPc.tasks.listeners === 0);
  expect(gpuPc.machine.sampleListeners.size).toBe(0);
});

describe("when the other side forgets", () => {
  test("a machine whose pairing is taken back loses its connection at once", async () => {
    const connection = laptop.connect(gpuPc);
    await until("gpu-pc is online", () => connection.facts().presence === "online");
    await gpuPc.trust.remove(laptop.identity.deviceId);
    await until("gpu-pc is offline", () => connection.facts().presence === "offline");
    expect(connection.facts().problem?.code).toBe("PERMISSION_DENIED");
    await until("gpu-pc tells nothing more", () => gpuPc.tasks.listeners === 0);
  });

  test("unpairing makes it forget the caller", async () => {
    const connection = laptop.connect(gpuPc);
    await until("gpu-pc is online", () => connection.facts().presence === "online");
    await connection.unpair();
    await until("gpu-pc forgot", () => gpuPc.trust.get(laptop.identity.deviceId) === undefined);
    await until("gpu-pc is offline", () => connection.facts().presence === "offline");
  });
});

function task(id: string) {
  return {
    id,
    job: "worker",
    index: 0,
    engine: "tensorflow",
    gpu: "auto",
    port: 2300,
    state: "running",
    devices: [],
    metrics: [],
    isolated: false,
    fixed: false,
    owner: "",
  } as const;
}
