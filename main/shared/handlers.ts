/** Routes calls of windows to the rooms: each room handles the methods of its slice of the contract. */
import type { z } from "zod";
import { methods } from "../api/contract.js";
import type { Method } from "../api/method.js";
import type { Caller } from "./caller.js";
import { problem } from "./problems.js";

type Methods = Readonly<Record<string, Method>>;

/** The result of a handler; ignored for a method without a result. */
type Answer<R> = [R] extends [undefined] ? unknown : R;

/** One handler for each method of a slice. */
export type HandlersOf<M extends Methods> = {
  readonly [K in keyof M]: (
    params: z.infer<M[K]["params"]>,
    caller: Caller,
  ) => Promise<Answer<z.infer<M[K]["result"]>>> | Answer<z.infer<M[K]["result"]>>;
};

/** One handler for each method of the contract. */
export type Handlers = HandlersOf<typeof methods>;

function isMethod(name: string): name is keyof Handlers {
  return Object.hasOwn(methods, name);
}

/**
 * Checks a call against the contract and passes it to its handler.
 *
 * @throws ProblemError INVALID_ARGUMENT for an unknown method and for invalid parameters, naming the field.
 */
export async function callHandler(
  handlers: Handlers,
  method: string,
  params: unknown,
  caller: Caller,
): Promise<unknown> {
  if (!isMethod(method)) {
    throw problem("INVALID_ARGUMENT", `There is no method "${method}".`, {
      reason: "The window and the application are probably of different versions.",
      remedy: "Reload the window.",
    });
  }
  const checked = methods[method].params.safeParse(params);
  if (!checked.success) throw invalidParams(method, checked.error);
  // The schema of this method has just accepted the value; TypeScript cannot relate the two through the index.
  const handler = handlers[method] as (checkedParams: unknown, caller: Caller) => unknown;
  return await handler(checked.data, caller);
}

function invalidParams(method: string, error: z.ZodError): Error {
  const faults = error.issues.map((issue) => {
    const field = issue.path.map(String).join(".");
    return field === "" ? issue.message : `${field}: ${issue.message}`;
  });
  return problem("INVALID_ARGUMENT", `${method} was called with invalid parameters.`, {
    reason: `${faults.slice(0, 5).join("; ")}.`,
    details: faults.join("\n"),
  });
}
