import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { GetStatusResponse } from "../../../protos/generated/tensorflow/worker.js";
import { StatusCode } from "../../../worker-runtime/protocol/status.js";
import { Participants } from "../../../worker-runtime/session/participants.js";
import { warningsDuring } from "../../support/warnings.js";
import { startFakeServer } from "../rpc/fake-server.js";

const cleanUp: (() => void)[] = [];

afterEach(() => {
  for (const end of cleanUp.splice(0).reverse()) {
    end();
  }
});

/** A way to a server of which the first connection leads nowhere. */
async function withDeadFirst(address: string): Promise<string> {
  const sockets: Socket[] = [];
  const relay = createServer((near) => {
    sockets.push(near.on("error", () => undefined));
    if (sockets.length === 1) {
      near.resume();
      return;
    }
    const far = connect(Number(address.split(":")[1]), "127.0.0.1").on("error", () => undefined);
    sockets.push(far);
    near.pipe(far).pipe(near);
  });
  cleanUp.push(() => {
    relay.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  return `127.0.0.1:${(relay.address() as AddressInfo).port}`;
}

test("many tasks are asked at once, with one listener on the signal", async () => {
  const server = await startFakeServer({}, { GetStatus: () => GetStatusResponse.create() });
  cleanUp.push(server.stop);
  const list = Array.from({ length: 15 }, (_, index) => ({ name: `task ${index}`, address: server.address }));
  const participants = new Participants(list);
  cleanUp.push(() => participants.close());
  const { signal } = new AbortController();
  const warnings = await warningsDuring(async () => {
    const answers = await participants.probe(30_000, signal);
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(list.length);
  });
  expect(warnings).toEqual([]);
});

test("a task is asked over another connection after one on which no answer came", async () => {
  const server = await startFakeServer({}, { GetStatus: () => GetStatusResponse.create() });
  cleanUp.push(server.stop);
  const participants = new Participants([{ name: "task", address: await withDeadFirst(server.address) }]);
  cleanUp.push(() => participants.close());
  const [silent] = await participants.probe(300);
  expect(silent?.error?.code).toBe(StatusCode.DEADLINE_EXCEEDED);
  const [answered] = await participants.probe(30_000);
  expect(answered?.error).toBeUndefined();
});
