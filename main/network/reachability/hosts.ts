import { parseHostPort } from "../../../worker-runtime/cluster/address.js";

/** The host of "host:port"; the text itself when it is not of that form. */
export function hostOf(address: string): string {
  return parseHostPort(address)?.host ?? address;
}

/** The port of "host:port"; undefined when it is not of that form. */
export function portOf(address: string): number | undefined {
  return parseHostPort(address)?.port;
}
