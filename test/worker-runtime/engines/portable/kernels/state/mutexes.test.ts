import { expect, test } from "vitest";
import { ResourceManager } from "../../../../../../worker-runtime/engines/portable/resources/resource-manager.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { MiniSession, Program } from "../session-programs.js";

const run = (...operations: Operation[]) => ({ operations, feeds: new Map() });

test("one step at a time holds a mutex, and none longer than it lasts", async () => {
  const { graph } = new Program("mutex");
  const mutex = graph.op("MutexV2", [], {});
  const lock = graph.op("MutexLock", [mutex]);
  const release = graph.op("ConsumeMutexLock", [lock]);
  const session = new MiniSession();
  const failed = new ResourceManager();
  // A step that never gives the mutex back.
  await session.run(run(release));
  const holding = session.run({ operations: [lock], feeds: new Map() }, { stepResources: failed });
  await holding.catch(() => undefined);
  const second = session.run(run(release));
  const controller = new AbortController();
  const aborted = session.run(run(release), { signal: controller.signal });
  controller.abort();
  await expect(aborted).rejects.toMatchObject({ codeName: "CANCELLED" });
  failed.clearAll();
  await expect(second).resolves.toEqual([]);
  await expect(session.run(run(release))).resolves.toEqual([]);
});
