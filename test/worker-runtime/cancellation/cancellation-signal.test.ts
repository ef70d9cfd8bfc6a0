import { describe, expectTypeOf, test } from "vitest";
import { CancellationController } from "../../../worker-runtime/cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../worker-runtime/cancellation/cancellation-signal.js";

/** As Node and libraries declare it. */
const abortable = (_options: { readonly signal?: AbortSignal | undefined }): void => undefined;

// The compiler checks these, with `npm run typecheck`.
describe("the types of signals", () => {
  test("Node's signal is taken wherever the engine wants one", () => {
    expectTypeOf<AbortSignal>().toExtend<CancellationSignal>();
  });

  test("a light signal is refused where Node's is wanted", () => {
    expectTypeOf<CancellationSignal>().not.toExtend<AbortSignal>();
    const { signal } = new CancellationController();
    // @ts-expect-error it has no onabort and dispatches no events
    abortable({ signal });
    // @ts-expect-error the composites of this project take it, Node's does not
    const raw: Parameters<typeof AbortSignal.any>[0] = [signal];
    expectTypeOf(raw).toExtend<readonly AbortSignal[]>();
  });
});
