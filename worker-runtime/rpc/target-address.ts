/** Targets of sessions and their addresses. */
import { addressProblem } from "../cluster/address.js";
import { invalidArgument } from "../protocol/status.js";

/** The scheme of a session's target; the address follows it. */
const TARGET_SCHEME = "grpc://";

/** The address of a session's target: "grpc://host:port" or "host:port". @throws TensorFlowError INVALID_ARGUMENT */
export function addressOfTarget(target: string): string {
  const address = target.startsWith(TARGET_SCHEME) ? target.slice(TARGET_SCHEME.length) : target;
  const problem = addressProblem(address);
  if (problem !== undefined) {
    throw invalidArgument(`The target '${target}' cannot be dialled: '${address}' ${problem}.`);
  }
  return address;
}

/** "grpc://host:port" of an address. */
export function targetOfAddress(address: string): string {
  return `${TARGET_SCHEME}${address}`;
}
