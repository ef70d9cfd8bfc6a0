/**
 * Targets of grpc-js. It makes a URL of what a target's resolver calls its authority, and no URL can have the zone of a
 * link-local address; so addresses with one have a resolver of their own.
 */
import { experimental } from "@grpc/grpc-js";
import { type HostPort, parseHostPort } from "../cluster/address.js";
import { authorityOf } from "./http2-connection.js";

const ZONED = "tensordeck-zoned";

/** The target that grpc-js dials for "host:port", by name or by number. */
export function grpcTarget(address: string): string {
  register();
  return address.includes("%") ? `${ZONED}:${address}` : `dns:///${address}`;
}

/** Resolves an address with a zone to itself. */
class ZonedResolver implements experimental.Resolver {
  readonly #address: HostPort | undefined;
  readonly #listener: experimental.ResolverListener;
  #told = false;

  constructor(target: experimental.GrpcUri, listener: experimental.ResolverListener) {
    this.#address = parseHostPort(target.path);
    this.#listener = listener;
  }

  updateResolution(): void {
    if (this.#told || !this.#address) return;
    this.#told = true;
    const endpoints = experimental.statusOrFromValue([{ addresses: [this.#address] }]);
    process.nextTick(() => this.#listener(endpoints, {}, null, ""));
  }

  destroy(): void {
    this.#told = false;
  }

  static getDefaultAuthority(target: experimental.GrpcUri): string {
    return authorityOf(target.path);
  }
}

let isRegistered = false;

/** grpc-js keeps one list of resolvers for the process. */
function register(): void {
  if (!isRegistered) experimental.registerResolver(ZONED, ZonedResolver);
  isRegistered = true;
}
