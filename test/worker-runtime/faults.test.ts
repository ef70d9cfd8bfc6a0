import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

test("work in the background that rejects is reported with its stack, and other work is left alone", async () => {
  const { inBackground } = await import("../../worker-runtime/faults.js");
  const report = vi.spyOn(console, "error").mockReturnValue();
  inBackground(Promise.resolve(1));
  inBackground(Promise.reject(new TypeError("nobody waits")));
  await expect.poll(() => report.mock.calls).toHaveLength(1);
  expect(report.mock.calls[0]?.[0]).toMatch(
    /^A fault in Tensordeck; please report it\. TypeError: nobody waits\n +at /,
  );
});

test("a fault that comes again and again is reported some times a minute", async () => {
  const { reportFault } = await import("../../worker-runtime/faults.js");
  const report = vi.spyOn(console, "error").mockReturnValue();
  for (let time = 0; time < 1000; time++) reportFault(`${time}`);
  expect(report).toHaveBeenCalledTimes(20);
  expect(report.mock.lastCall?.[0]).toContain("Further faults of this minute are not reported.");
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 61_000);
  reportFault("later");
  expect(report.mock.lastCall?.[0]).toBe("A fault in Tensordeck; please report it. later");
});
