import { expect, test } from "vitest";
import { CallerLimits } from "../../../../main/peers/agent/caller-limits.js";
import { deferred } from "../../../../main/shared/deferred.js";

const EXHAUSTED = { problem: { code: "RESOURCE_EXHAUSTED" } };

test("each machine has a share of its own, which work gives back however it ends", async () => {
  const limits = new CallerLimits(2, "probes");
  const [first, second] = [deferred<void>(), deferred<void>()];
  const running = [limits.within("a", () => first.promise), limits.within("a", () => second.promise)];
  await expect(limits.within("a", async () => "third")).rejects.toMatchObject(EXHAUSTED);
  expect(await limits.within("b", async () => "other")).toBe("other");
  first.resolve();
  second.reject(new Error("failed"));
  await expect(Promise.all(running)).rejects.toThrow("failed");
  expect(await limits.within("a", async () => "third")).toBe("third");
  await expect(limits.within("a", async () => "held", 2)).rejects.toMatchObject(EXHAUSTED);
});
