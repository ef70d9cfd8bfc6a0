import { afterEach, describe, expect, test } from "vitest";
import {
  CreateWorkerSessionRequest,
  RegisterGraphRequest,
} from "../../../../../../protos/generated/tensorflow/worker.js";
import type { ClientConnection } from "../../../../../../worker-runtime/engines/portable/clients/client-connection.js";
import { connectionOf } from "../../../../../../worker-runtime/engines/portable/transport/grpc/call-connections.js";
import type {
  IncomingCall,
  WorkerInterface,
} from "../../../../../../worker-runtime/engines/portable/worker/worker-interface.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { Endings } from "../transport-fixture.js";

const endings = new Endings();
afterEach(() => endings.endAll());

describe.each([
  { calls: "streamed calls", unaryOnly: false },
  { calls: "unary calls", unaryOnly: true },
])("the connection of $calls", ({ unaryOnly }) => {
  test("is the same for all of one client, another for another, and known to be lost", async () => {
    let seen: ClientConnection | undefined;
    const getStatus = async (_: unknown, call: IncomingCall = {}) => {
      seen = call.connection;
      return { deviceAttributes: [] };
    };
    const { address, client } = await endings.serve({ unaryOnly, handlers: { getStatus } });
    const connectionFor = async (caller: WorkerInterface): Promise<ClientConnection | undefined> => {
      await caller.getStatus({});
      return seen;
    };
    const wire = await endings.wire(address);
    const [first, second] = [await connectionFor(client), await connectionFor(endings.connect(wire.address))];
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
    expect(await connectionFor(client)).toBe(first);
    wire.cut();
    await expect.poll(() => second?.isClosed).toBe(true);
    expect(second?.wasIdle).toBe(false);
    expect(first?.isClosed).toBe(false);
  });
});

test("a worker notices that a master is gone, and lets one that connects again go on", async () => {
  const { worker, address, client } = await endings.serve();
  const wire = await endings.wire(address);
  const master = endings.connect(wire.address);
  const create = (by: WorkerInterface, sessionHandle: string) =>
    by.createWorkerSession(CreateWorkerSessionRequest.fromPartial({ sessionHandle }));
  await create(client, "of another");
  // More than a worker keeps of those that are gone.
  const handles = Array.from({ length: 100 }, (_, index) => `s${index}`);
  for (const handle of handles) {
    await create(master, handle);
  }
  expect(worker.sessions.size).toBe(101);
  wire.cut();
  await expect.poll(() => worker.sessions.size).toBe(65);
  const register = (sessionHandle: string) =>
    master.registerGraph(
      RegisterGraphRequest.fromPartial({ sessionHandle, createWorkerSessionCalled: true, graphDef: {} }),
    );
  // The master may hear of it later than the worker.
  await expect.poll(() => register("s99").then(() => "registered", String)).toBe("registered");
  await expect(register("s0")).rejects.toMatchObject({ code: StatusCode.ABORTED });
});

test("a call that is made otherwise has no connection that is known", () => {
  expect(connectionOf({})).toBeUndefined();
  expect(connectionOf({ call: { stream: {} } })).toBeUndefined();
});
