import type { UnaryMethod } from "./message-type.js";
import type { CallOptions, MethodCaller } from "./method-caller.js";

/** The calls of a service as functions: one for each method of its generated definition. */
export type ServiceCalls<Methods, Options = CallOptions> = {
  readonly [Name in keyof Methods]: Methods[Name] extends UnaryMethod<infer Request, infer Response>
    ? (request: Request, options?: Options) => Promise<Response>
    : never;
};

/**
 * The calls of a service as they are on the wire. None has a deadline unless one is given, and none is ever repeated.
 * Each throws what `caller` throws.
 * @param methods of the generated definition, all of them unary
 */
export function serviceCalls<Methods extends object>(
  methods: Methods,
  caller: MethodCaller,
): ServiceCalls<Methods> {
  const entries = Object.entries(methods) as [string, UnaryMethod<unknown, unknown>][];
  // The type says what each takes and gives: the entries are the methods themselves.
  return Object.fromEntries(
    entries.map(([name, method]) => [
      name,
      (request: unknown, options?: CallOptions) => caller.call(method, request, options),
    ]),
  ) as ServiceCalls<Methods>;
}
