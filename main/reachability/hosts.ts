import { parseHostPort } from "../../worker-runtime/cluster/address.js";

/** Whether a host, by name or number, is whichever machine dials it. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.toLowerCase().replace(/^::ffff:/, "");
  return (
    plain === "localhost" ||
    plain.endsWith(".localhost") ||
    plain.startsWith("127.") ||
    plain === "::1" ||
    plain === "0.0.0.0" ||
    plain === "::"
  );
}

/** The host of "host:port"; the text itself when it is not of that form. */
export function hostOf(address: string): string {
  return parseHostPort(address)?.host ?? address;
}

/** The port of "host:port"; undefined when it is not of that form. */
export function portOf(address: string): number | undefined {
  return parseHostPort(address)?.port;
}
