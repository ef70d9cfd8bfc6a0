/**
 * Numeric addresses and networks, parsed strictly: the results consist only of hexadecimal digits, dots, colons and a
 * prefix length, so they can be inserted into a script or a command line unquoted.
 */
import { BlockList } from "node:net";
import { canonicalAddress, wordsOf } from "../../../worker-runtime/cluster/host.js";
import { problem } from "../../shared/problems.js";

export type Family = "ipv4" | "ipv6";

export interface Network {
  readonly family: Family;
  /** "192.168.1.0/24"; a single address without a length. */
  readonly text: string;
}

/**
 * The only machine that may connect.
 *
 * @throws ProblemError INVALID_ARGUMENT when it is not the address of a single machine.
 */
export function peerNetwork(address: string): Network {
  const text = canonicalAddress(address.trim());
  if (text === undefined || text === "0.0.0.0" || text === "::" || isMulticast(text)) {
    throw problem("INVALID_ARGUMENT", `'${address}' is not the address of a machine.`, {
      reason: "A firewall rule takes a number, not a name.",
      remedy: "Write an address such as 192.168.1.31 or fd12::31.",
    });
  }
  return { family: familyOf(text), text };
}

/** The network of an interface's address; undefined for an address that is invalid or has no neighbours. */
export function networkOf(address: string, prefixLength: number): Network | undefined {
  const text = canonicalAddress(address);
  if (text === undefined) return undefined;
  const family = familyOf(text);
  const bits = family === "ipv4" ? 32 : 128;
  if (!Number.isInteger(prefixLength) || prefixLength <= 0 || prefixLength >= bits) return undefined;
  const bytes = bytesOf(text);
  const masked = bytes.map((byte, index) => byte & maskByte(prefixLength - index * 8));
  return { family, text: `${textOf(masked)}/${prefixLength}` };
}

/** Whether an address lies in a network, or is it. */
export function contains(network: string, address: string): boolean {
  const wanted = canonicalAddress(address);
  if (wanted === undefined) return false;
  const [base = "", length] = network.split("/");
  const family = familyOf(base);
  if (familyOf(wanted) !== family) return false;
  if (length === undefined) return base === wanted;
  const list = new BlockList();
  list.addSubnet(base, Number(length), family);
  return list.check(wanted, family);
}

const privateNetworks = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "100.64.0.0/10",
  "fc00::/7",
  "fe80::/10",
];

/** Whether an address is in a range that is not routed on the internet, as in homes and offices. */
export function isPrivate(address: string): boolean {
  return privateNetworks.some((network) => contains(network, address));
}

/** The family of an IP address or network that is written in numbers. */
export function familyOf(address: string): Family {
  return address.includes(":") ? "ipv6" : "ipv4";
}

function isMulticast(address: string): boolean {
  return contains("224.0.0.0/4", address) || contains("ff00::/8", address);
}

function maskByte(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}

/** @param address In its shortest form. */
function bytesOf(address: string): number[] {
  if (familyOf(address) === "ipv4") return address.split(".").map(Number);
  return wordsOf(address).flatMap((word) => [word >> 8, word & 0xff]);
}

function textOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const words = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  return canonicalAddress(words.join(":")) ?? words.join(":");
}
