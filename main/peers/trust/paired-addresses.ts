/**
 * Addresses at which paired machines were seen, kept across restarts with the other facts about them. An address
 * proves nothing; it only decides which packets and connections take precedence while unpaired machines send too
 * many.
 */

import { log } from "../../shared/log/log.js";
import type { TrustStore } from "./trust-store.js";

/** A machine has a few interfaces; a Wi-Fi may give it another address each day. */
const MOST_CALLERS = 8;

export class PairedAddresses {
  readonly #trust: Pick<TrustStore, "all" | "get" | "update" | "onChange">;
  readonly #stopListening: () => void;
  #addresses: ReadonlySet<string> | undefined;

  constructor(trust: Pick<TrustStore, "all" | "get" | "update" | "onChange">) {
    this.#trust = trust;
    this.#stopListening = trust.onChange(() => {
      this.#addresses = undefined;
    });
  }

  has(address: string): boolean {
    this.#addresses ??= new Set(
      this.#trust.all().flatMap(({ addresses, callers = [] }) => [...addresses, ...callers].map(plain)),
    );
    return this.#addresses.has(plain(address));
  }

  /** Records an address at which a paired machine has just proved its key. */
  met(deviceId: string, address: string): void {
    const known = this.#trust.get(deviceId);
    const normalized = plain(address);
    if (
      !known ||
      normalized === "" ||
      [...known.addresses, ...(known.callers ?? [])].map(plain).includes(normalized)
    )
      return;
    const callers = [normalized, ...(known.callers ?? [])].slice(0, MOST_CALLERS);
    this.#trust
      .update(deviceId, { callers })
      .catch((error: unknown) => log.error(`The address of ${known.name} was not kept:`, error));
  }

  close(): void {
    this.#stopListening();
  }
}

/** An address without the scope of a link-local one. */
function plain(address: string): string {
  return address.split("%")[0]?.toLowerCase() ?? "";
}
