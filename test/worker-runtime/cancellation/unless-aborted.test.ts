import { describe, expect, test } from "vitest";
import { unlessAborted } from "../../../worker-runtime/cancellation/unless-aborted.js";
import { collectGarbage } from "../../support/garbage.js";
import { unhandledRejectionsDuring } from "../../support/rejections.js";
import { KINDS } from "./support/signals.js";

const forever = (): Promise<never> => new Promise(() => undefined);

describe.each(KINDS)("work beside %s signal", (_kind, create) => {
  test("settles as it does, and leaves no listener", async () => {
    const { signal, listeners } = create();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
    expect(listeners()).toBe(0);
  });

  test("is left when the signal is aborted, also after a garbage collection", async () => {
    const controller = create();
    const left = [
      unlessAborted(forever(), controller.signal),
      unlessAborted(forever(), controller.signal, () => new Error(`no more: ${controller.signal.reason}`)),
    ];
    const outcomes = Promise.allSettled(left);
    await collectGarbage();
    controller.abort("enough");
    expect(await outcomes).toMatchObject([{ reason: "enough" }, { reason: { message: "no more: enough" } }]);
    expect(controller.listeners()).toBe(0);
  });

  test("is not waited for if the signal was aborted before", async () => {
    const { signal, abort, listeners } = create();
    abort("enough");
    await expect(unlessAborted(forever(), signal)).rejects.toBe("enough");
    await expect(unlessAborted(forever(), signal, () => "more")).rejects.toBe("more");
    expect(listeners()).toBe(0);
  });

  test("may fail when nobody waits for it any more", async () => {
    const unhandled = await unhandledRejectionsDuring(async () => {
      const before = create();
      before.abort("enough");
      await expect(unlessAborted(Promise.reject(new Error("failed")), before.signal)).rejects.toBe("enough");
      const meanwhile = create();
      let fail: ((reason: unknown) => void) | undefined;
      const work = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const left = unlessAborted(work, meanwhile.signal);
      meanwhile.abort("enough");
      await expect(left).rejects.toBe("enough");
      fail?.(new Error("failed"));
    });
    expect(unhandled).toEqual([]);
  });
});

test("work without a signal settles as it does", async () => {
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
});
