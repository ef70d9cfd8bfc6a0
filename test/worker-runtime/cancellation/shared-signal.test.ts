import { describe, expect, test } from "vitest";
import { withSharedSignal } from "../../../worker-runtime/cancellation/shared-signal.js";
import { collectGarbage } from "../../support/garbage.js";
import { unhandledRejectionsDuring } from "../../support/rejections.js";
import { warningsDuring } from "../../support/warnings.js";
import { KINDS, whenAborted } from "./support/signals.js";

describe.each(KINDS)("a signal for many things at once that follows %s signal", (_kind, create) => {
  test("puts one listener on it, and leaves none when all is over", async () => {
    const followed = create();
    const warnings = await warningsDuring(async () => {
      await withSharedSignal(followed.signal, async (shared) => {
        for (let i = 0; i < 40; i += 1) void whenAborted(shared);
        expect(followed.listeners()).toBe(1);
      });
    });
    expect(followed.listeners()).toBe(0);
    expect(warnings).toEqual([]);
  });

  test("ends with its reason, also after a garbage collection, and if it was aborted before", async () => {
    const followed = create();
    const work = withSharedSignal(followed.signal, whenAborted);
    await collectGarbage();
    followed.abort("enough");
    expect(await work).toBe("enough");
    expect(await withSharedSignal(followed.signal, async ({ reason }) => reason)).toBe("enough");
  });

  test.each([0, 1])("ends with part %i of several", async (part) => {
    const followed = [create(), create()];
    const signals = followed.map(({ signal }) => signal);
    const work = withSharedSignal([undefined, ...signals], whenAborted);
    await collectGarbage();
    followed[part]?.abort("enough");
    expect(await work).toBe("enough");
    expect(followed.map((one) => one.listeners())).toEqual([0, 0]);
  });
});

test("what still goes on ends when one of them fails", async () => {
  let left: Promise<unknown> | undefined;
  const work = withSharedSignal(undefined, (shared) => {
    left = whenAborted(shared);
    return Promise.all([left, Promise.reject(new Error("failed"))]);
  });
  await expect(work).rejects.toThrow("failed");
  expect(await left).toMatchObject({ name: "AbortError" });
});

test("what fails because it ended is not left unhandled", async () => {
  const fails = async (shared: AbortSignal): Promise<never> => {
    throw await whenAborted(shared);
  };
  const unhandled = await unhandledRejectionsDuring(async () => {
    const work = withSharedSignal(undefined, (shared) =>
      Promise.all([fails(shared), fails(shared), Promise.reject(new Error("failed"))]),
    );
    await expect(work).rejects.toThrow("failed");
  });
  expect(unhandled).toEqual([]);
});
