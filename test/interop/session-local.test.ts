import { afterAll, expect, test } from "vitest";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { constant, graphOf } from "./peers/nodes.js";

const missing = peerMissing("tensorflow");
const sessions: Session[] = [];

afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
});

function local(...nodes: Parameters<typeof graphOf>): Session {
  const session = new Session(undefined, {
    graph: graphOf(...nodes),
    server: { library: libtensorflowDir() },
  });
  sessions.push(session);
  return session;
}

test.skipIf(missing)("a session without a target has a server of its own, which ends with it", async () => {
  const session = local(constant("hello", "Hello, distributed TensorFlow!"));
  expect((await session.run(["hello"])).values[0]?.item()).toBe("Hello, distributed TensorFlow!");
  const [device] = await session.listDevices();
  expect(device?.name).toMatch(/^\/job:\w+\/replica:0\/task:0\/device:CPU:0$/);
  await session.close();
});

test.skipIf(missing)("giving up while the server starts stops it", async () => {
  const session = local(constant("c", 1));
  const controller = new AbortController();
  const step = session.run(["c"], { signal: controller.signal });
  setImmediate(() => controller.abort());
  await expect(step).rejects.toMatchObject({ codeName: "CANCELLED" });
  // The session itself stays usable.
  expect((await session.run(["c"])).values[0]?.item()).toBe(1);
});
