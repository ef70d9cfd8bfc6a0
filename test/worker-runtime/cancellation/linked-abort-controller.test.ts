import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { LinkedAbortController } from "../../../worker-runtime/cancellation/linked-abort-controller.js";
import { collectGarbage } from "../../support/garbage.js";
import { KINDS, whenAborted } from "./support/signals.js";

describe.each(KINDS)("an AbortController linked to %s signal", (_kind, create) => {
  it.each([0, 1])("is aborted by part %i, also after a garbage collection", async (part) => {
    const others = [create(), create()];
    const ended = whenAborted(new LinkedAbortController(...others.map(({ signal }) => signal)).signal);
    await collectGarbage();
    others[part]?.abort("why");
    expect(await ended).toBe("why");
    expect(others.map((other) => other.listeners())).toEqual([0, 0]);
  });

  it("is aborted by itself, and then follows none", () => {
    const others = [create(), create()];
    const controller = new LinkedAbortController(undefined, ...others.map(({ signal }) => signal));
    expect(others.map((other) => other.listeners())).toEqual([1, 1]);
    controller.abort("over");
    others[0]?.abort("why");
    expect(controller.signal.reason).toBe("over");
    expect(others.map((other) => other.listeners())).toEqual([0, 0]);
  });

  it("is aborted at once if one of them was, whichever it is", () => {
    for (const part of [0, 1]) {
      const others = [create(), create()];
      others[part]?.abort("why");
      const { signal } = new LinkedAbortController(...others.map((other) => other.signal));
      expect(signal).toMatchObject({ aborted: true, reason: "why" });
      expect(others.map((other) => other.listeners())).toEqual([0, 0]);
    }
  });

  it("has a signal that Node takes", async () => {
    const other = create();
    const { signal } = new LinkedAbortController(other.signal);
    other.abort();
    expect(signal).toBeInstanceOf(AbortSignal);
    await expect(readFile(import.meta.filename, { signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});
