import { Client, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../../main/api/machines.js";
import { ProblemError } from "../../../../main/api/wire.js";
import { AgentChannel } from "../../../../main/peers/agent/agent-channel.js";
import type { AgentConnection } from "../../../../main/peers/agent/agent-connection.js";
import {
  type AgentMethodName,
  agentMethodNames,
  methodDefinition,
} from "../../../../main/peers/agent/service-definition.js";
import {
  agentChannelCredentials,
  agentChannelOptions,
} from "../../../../main/peers/port/channel-credentials.js";
import type { TaskOrder } from "../../../../main/tasks/task-host.js";
import { until } from "../../support/until.js";
import { pair, TestAgent } from "./agents.js";

let gpuPc: TestAgent;
let laptop: TestAgent;
let client: Client;

beforeEach(async () => {
  [gpuPc, laptop] = await Promise.all([TestAgent.start("gpu-pc"), TestAgent.start("laptop")]);
  const { certPem, deviceId } = gpuPc.identity;
  client = new Client(
    gpuPc.address,
    agentChannelCredentials(laptop.identity, certPem, deviceId),
    agentChannelOptions,
  );
});

afterEach(async () => {
  client.close();
  await Promise.all([laptop.dispose(), gpuPc.dispose()]);
});

/** Calls a method with bytes of any kind; answers the status. */
function callRaw(name: AgentMethodName, bytes: Uint8Array): Promise<Pick<ServiceError, "code" | "details">> {
  const { path, responseStream } = methodDefinition(name);
  const deadline = { deadline: Date.now() + 30_000 };
  return new Promise((resolve) => {
    const serialize = (value: Uint8Array) => Buffer.from(value);
    if (!responseStream) {
      client.makeUnaryRequest(
        path,
        serialize,
        () => undefined,
        bytes,
        new Metadata(),
        deadline,
        (error) => resolve(error ?? { code: status.OK, details: "" }),
      );
      return;
    }
    const call = client.makeServerStreamRequest(path, serialize, () => "", bytes, new Metadata(), deadline);
    call.on("data", () => call.cancel());
    call.on("error", (error: ServiceError) => resolve(error));
  });
}

const nothing = new Uint8Array(0);

const roles: Record<AgentMethodName, Role> = {
  describe: "view",
  watch: "view",
  watchLog: "view",
  sink: "view",
  ping: "view",
  unpair: "view",
  startTask: "run",
  startAgain: "run",
  stopTask: "run",
  removeTask: "run",
  clearState: "run",
  setTunnels: "run",
  runScript: "run",
  probe: "run",
  measureThroughput: "run",
  inspectFirewall: "manage",
  planFirewall: "manage",
  applyFirewall: "manage",
  openWindow: "manage",
};

describe("who may do what", () => {
  test.each(["view", "run", "manage"] as const)("a machine with the role %s", async (role) => {
    await pair(gpuPc, laptop, role);
    const order: Role[] = ["view", "run", "manage"];
    for (const name of agentMethodNames) {
      // It would end the connection; that it is allowed shows elsewhere.
      if (name === "unpair") continue;
      const { code } = await callRaw(name, nothing);
      const allowed = order.indexOf(roles[name]) <= order.indexOf(role);
      expect(code !== status.PERMISSION_DENIED, `${name} for ${role}`).toBe(allowed);
      expect(code, name).not.toBe(status.UNAUTHENTICATED);
    }
  });

  test("a machine that is not paired gets no answer to anything", async () => {
    for (const name of agentMethodNames) {
      const { code } = await callRaw(name, nothing);
      expect(code, name).toBe(status.UNAVAILABLE);
    }
  });

  test("a role that is lowered counts for the next call of an open connection", async () => {
    await pair(gpuPc, laptop, "manage");
    expect((await callRaw("openWindow", nothing)).code).toBe(status.OK);
    await pair(gpuPc, laptop, "view");
    const { code, details } = await callRaw("openWindow", nothing);
    expect(code).toBe(status.PERMISSION_DENIED);
    expect(details).toBe("gpu-pc does not permit that.");
  });
});

describe("what a role can really do with tasks", () => {
  const order = (more: Partial<TaskOrder> = {}): TaskOrder => ({
    ...{ taskId: "new", job: "worker", index: 0, engine: "tensorflow", gpu: "auto", port: 0 },
    ...{ isolate: true, owner: "" },
    ...more,
  });
  const commands = {
    startAgain: (connection: AgentConnection, id: string) => connection.startAgain(id),
    stop: (connection: AgentConnection, id: string) => connection.stop(id),
    clearState: (connection: AgentConnection, id: string) => connection.clearState(id),
    remove: (connection: AgentConnection, id: string) => connection.remove(id),
  };

  async function connected(role: Role): Promise<AgentConnection> {
    await pair(gpuPc, laptop, role);
    const connection = laptop.connect(gpuPc);
    await until("gpu-pc is online", () => connection.facts().presence === "online");
    return connection;
  }

  async function addTask(id: string, owner: string): Promise<void> {
    await gpuPc.tasks.start(order({ taskId: id, owner }));
    gpuPc.tasks.asked.length = 0;
  }

  /** The code of a refusal; OK where the command was obeyed. */
  async function outcome(work: Promise<unknown>): Promise<string> {
    return await work.then(
      () => "OK",
      (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error)),
    );
  }

  const cases = (["view", "run", "manage"] as const).flatMap((role) =>
    (["its own", "this machine's", "another machine's"] as const).map((whose) => ({ role, whose })),
  );

  test.each(cases)("$role commands $whose task or does not", async ({ role, whose }) => {
    const connection = await connected(role);
    const owners = {
      "its own": laptop.identity.deviceId,
      "this machine's": gpuPc.identity.deviceId,
      "another machine's": "a".repeat(52),
    };
    const mayCommand = role === "manage" || (role === "run" && whose === "its own");
    for (const [name, command] of Object.entries(commands)) {
      await addTask(name, owners[whose]);
      expect([name, await outcome(command(connection, name))]).toEqual([
        name,
        mayCommand ? "OK" : "PERMISSION_DENIED",
      ]);
      if (!mayCommand) {
        expect(gpuPc.tasks.asked).toEqual([]);
        expect(gpuPc.tasks.tasks().find(({ id }) => id === name)?.state).toBe("starting");
      }
    }
  });

  test.each([
    { role: "view", allowed: true, code: "PERMISSION_DENIED" },
    { role: "run", allowed: false, code: "PERMISSION_DENIED" },
    { role: "run", allowed: true, code: "OK" },
    { role: "manage", allowed: false, code: "PERMISSION_DENIED" },
    { role: "manage", allowed: true, code: "OK" },
  ] as const)(
    "a task that the network reaches, for $role, allowed: $allowed",
    async ({ role, allowed, code }) => {
      const connection = await connected(role);
      gpuPc.mayExpose = allowed;
      expect(await outcome(connection.start(order({ isolate: false })))).toBe(code);
      expect(gpuPc.tasks.asked.length).toBe(code === "OK" ? 1 : 0);
    },
  );

  test("the refusal names the machine, why, and what its user can do", async () => {
    const connection = await connected("run");
    await expect(connection.start(order({ isolate: false }))).rejects.toMatchObject({
      problem: {
        message: "gpu-pc does not let other machines start tasks that the network reaches.",
        reason: expect.stringContaining("no sign-in"),
        remedy: expect.stringContaining("--allow_exposed_tasks yes"),
      },
    });
  });

  test.each([1, 80, 2221, 2300, 2379, 3000, 5432, 8888, 65_535])(
    "no task takes port %i, where programs of the machine are looked for",
    async (port) => {
      const connection = await connected("manage");
      expect(await outcome(connection.start(order({ port })))).toBe("INVALID_ARGUMENT");
      expect(gpuPc.tasks.asked).toEqual([]);
    },
  );

  test.each([80, 2379, 8888])("nor does the server of a fixed cluster listen on port %i", async (port) => {
    const connection = await connected("manage");
    const at = (own: number) => ({ cluster: { worker: { 0: `127.0.0.1:${own}`, 1: "127.0.0.1:8889" } } });
    expect(await outcome(connection.start(order({ fixed: at(port) })))).toBe("INVALID_ARGUMENT");
    expect(gpuPc.tasks.asked).toEqual([]);
    expect(await outcome(connection.start(order({ fixed: at(2225) })))).toBe("OK");
    expect(await outcome(connection.startAgain("new", at(port)))).toBe("INVALID_ARGUMENT");
    expect(await outcome(connection.startAgain("new", at(2226)))).toBe("OK");
  });
});

describe("what one machine may use up", () => {
  /** Opens a stream of changes and leaves it open; resolves with its first answer or its end. */
  function watch(): Promise<number> {
    const { path } = methodDefinition("watch");
    const call = client.makeServerStreamRequest(
      path,
      (value: Uint8Array) => Buffer.from(value),
      () => "",
      nothing,
      new Metadata(),
      {},
    );
    return new Promise((resolve) => {
      call.on("data", () => resolve(status.OK));
      call.on("error", (error: ServiceError) => resolve(error.code));
    });
  }

  test("are some streams, however many connections it has, and none of those of others", async () => {
    await pair(gpuPc, laptop, "view");
    const codes = await Promise.all(Array.from({ length: 100 }, watch));
    expect(codes.filter((code) => code === status.OK)).toHaveLength(8);
    expect(codes.filter((code) => code === status.RESOURCE_EXHAUSTED)).toHaveLength(92);
    const pi = await TestAgent.start("pi");
    await pair(gpuPc, pi, "view");
    const connection = pi.connect(gpuPc);
    await expect.poll(() => connection.facts().presence).toBe("online");
    await pi.dispose();
  });

  test("are as many calls as an application needs", async () => {
    await pair(gpuPc, laptop, "view");
    const codes: number[] = [];
    // However slow this machine is, calls come faster than they are allowed for long.
    while (!codes.includes(status.RESOURCE_EXHAUSTED) && codes.length < 20_000) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => callRaw("ping", nothing)));
      codes.push(...answers.map(({ code }) => code));
    }
    expect(codes.slice(0, 1000)).toEqual(Array(1000).fill(status.OK));
    expect(codes).toContain(status.RESOURCE_EXHAUSTED);
  });
});

describe("bytes that no Tensordeck sends", () => {
  beforeEach(() => pair(gpuPc, laptop, "manage"));

  test("empty requests are refused by name, none is acted on", async () => {
    const harmless = new Set<AgentMethodName>([
      "describe",
      "watch",
      "ping",
      "openWindow",
      "inspectFirewall",
      "setTunnels",
    ]);
    for (const name of agentMethodNames) {
      if (harmless.has(name) || name === "unpair" || name === "sink") continue;
      const { code } = await callRaw(name, nothing);
      expect([status.INVALID_ARGUMENT, status.NOT_FOUND], name).toContain(code);
    }
    expect(gpuPc.tasks.asked).toEqual([]);
  });

  test("garbage ends the call and nothing else", async () => {
    for (const name of agentMethodNames) {
      if (methodDefinition(name).requestStream) continue;
      const { code } = await callRaw(name, Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2));
      expect([status.INTERNAL, status.INVALID_ARGUMENT], name).toContain(code);
    }
    expect((await callRaw("ping", nothing)).code).toBe(status.OK);
    expect(gpuPc.trust.get(laptop.identity.deviceId)).toBeDefined();
  });

  test("a request beyond every size is not taken in", async () => {
    const { code } = await callRaw("startTask", new Uint8Array(3 << 20));
    expect(code).toBe(status.RESOURCE_EXHAUSTED);
    expect((await callRaw("ping", nothing)).code).toBe(status.OK);
  });

  test("values out of range are named", async () => {
    const { certPem, deviceId } = gpuPc.identity;
    const channel = new AgentChannel(
      { identity: laptop.identity, certPem, deviceId, name: "gpu-pc" },
      { host: "127.0.0.1", port: gpuPc.port },
    );
    try {
      const invalid = { problem: { code: "INVALID_ARGUMENT" } };
      const address = "10.0.0.1:2222";
      await expect(channel.call("probe", { address, kind: "task", tries: 99 })).rejects.toMatchObject(
        invalid,
      );
      await expect(channel.call("probe", { address, kind: "file", tries: 1 })).rejects.toMatchObject(invalid);
      await expect(channel.call("probe", { address: "/etc", kind: "task", tries: 1 })).rejects.toMatchObject(
        invalid,
      );
      const tunnel = { port: 0, deviceId, agentAddresses: [] };
      await expect(channel.call("setTunnels", { tunnels: [tunnel], admissions: [] })).rejects.toMatchObject(
        invalid,
      );
      const plan = { scopeJson: '{"kind":"everybody"}', ports: [2222], removeBlockRules: false };
      await expect(channel.call("planFirewall", plan)).rejects.toMatchObject(invalid);
      expect(gpuPc.asked).toEqual([]);
    } finally {
      channel.close();
    }
  });
});
