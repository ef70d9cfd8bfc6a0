import type { z } from "zod";
import { type MethodName, methods, type Params, type Result } from "../api/contract.js";
import { problem } from "./problems.js";

/** What a handler gives; of a method without a result it is not looked at. */
type Answer<M extends MethodName> = [Result<M>] extends [undefined] ? unknown : Result<M>;

/** One handler for each method of the contract. */
export type Handlers = {
  readonly [M in MethodName]: (params: Params<M>) => Promise<Answer<M>> | Answer<M>;
};

function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/**
 * Checks a call against the contract and passes it to its handler.
 *
 * @throws ProblemError INVALID_ARGUMENT for a method that the contract does not have and for parameters that do not
 *   fit, naming the field.
 */
export async function callHandler(handlers: Handlers, method: string, params: unknown): Promise<unknown> {
  if (!isMethod(method)) {
    throw problem("INVALID_ARGUMENT", `There is no method "${method}".`, {
      reason: "The window and the application are probably of different versions.",
      remedy: "Reload the window.",
    });
  }
  const result = await callChecked(handlers, method, params);
  return result;
}

function callChecked<M extends MethodName>(handlers: Handlers, method: M, params: unknown): unknown {
  const checked = methods[method].params.safeParse(params);
  if (!checked.success) throw invalidParams(method, checked.error);
  // The schema of this method has just accepted the value; TypeScript cannot relate the two through the index.
  return handlers[method](checked.data as Params<M>);
}

function invalidParams(method: string, error: z.ZodError): Error {
  const faults = error.issues.map((issue) => {
    const field = issue.path.map(String).join(".");
    return field === "" ? issue.message : `${field}: ${issue.message}`;
  });
  return problem("INVALID_ARGUMENT", `${method} was called with parameters that it cannot take.`, {
    reason: `${faults.slice(0, 5).join("; ")}.`,
    details: faults.join("\n"),
  });
}
