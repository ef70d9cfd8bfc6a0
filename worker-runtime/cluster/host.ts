/**
 * Normalises a host from any of the spellings that systems accept. Every check of where an address leads uses it: an
 * address that is compared in one spelling and dialled in another is not checked.
 */

/** A host as a system's resolver takes it, in one form. */
export interface CanonicalHost {
  /** An IPv4 address in four decimal numbers, an IPv6 address as RFC 5952 writes it, or a name in lower case. */
  readonly host: string;
  /** The interface of a link-local address: "eth0" of "fe80::1%eth0". */
  readonly zone?: string;
}

const ZONE = /^([^%]*)%(.*)$/s;
/** An IPv4 address as parsed by the C library: one to four numbers, each decimal, octal or hexadecimal. */
const LOOSE_IPV4 = /^(?:(?:0x[0-9a-f]*|\d+)\.){0,3}(?:0x[0-9a-f]*|\d+)$/;
const DOTTED_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * First words of IPv6 networks whose last two words are an IPv4 address: mapped (RFC 4291), translated (RFC 2765) and the
 * two of NAT64 (RFC 6052, RFC 8215). Compatible addresses, which begin with six zeros, are looked at beside them.
 */
const EMBEDDING: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x64, 0xff9b, 1],
];
const MAPPED = EMBEDDING.slice(0, 1);

/**
 * A host as it is dialled: "127.0.0.1" for "0x7f.1", "2130706433", "::ffff:7f00:1" and "64:ff9b::127.0.0.1";
 * "localhost" for "LOCALHOST.". Names are not resolved.
 */
export function canonicalHost(text: string): CanonicalHost {
  const [, address = text, zone] = ZONE.exec(text) ?? [];
  const plain = address.toLowerCase().replace(/\.+$/, "");
  const host = plain.includes(":") ? (ipv6(plain, EMBEDDING, true) ?? plain) : (looseIpv4(plain) ?? plain);
  return zone === undefined ? { host } : { host, zone };
}

/**
 * An IP address, read strictly, in its shortest form without a zone; undefined for anything else. A mapped IPv4 address
 * becomes IPv4, as on the wire; other IPv6 addresses that embed one are IPv6 on the wire, and stay.
 */
export function canonicalAddress(text: string): string | undefined {
  const plain = text.replace(/%[\w.-]+$/, "").toLowerCase();
  if (DOTTED_IPV4.test(plain)) return plain;
  return plain.includes(":") ? ipv6(plain, MAPPED, false) : undefined;
}

/**
 * Whether a host, by name or number, is whichever machine dials it, and so another machine on every machine: localhost,
 * 127.0.0.0/8 and ::1, and the addresses that stand for all of a machine.
 */
export function isLoopback(text: string): boolean {
  const { host } = canonicalHost(text);
  return (
    /^(?:.+\.)?localhost$/.test(host) ||
    LOOPBACK_NAMES.has(host) ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    ["::1", "::", "0.0.0.0"].includes(host)
  );
}

/** Names that /etc/hosts of the common systems gives the loopback interface. */
const LOOPBACK_NAMES = new Set(["localhost.localdomain", "ip6-localhost", "ip6-loopback"]);

/** Whether an address means something only together with an interface: fe80::/10. */
export function isLinkLocalIpv6(text: string): boolean {
  return /^fe[89ab][0-9a-f]:/.test(canonicalHost(text).host);
}

/** As inet_aton reads it: the last of fewer than four numbers fills the bytes that are left. */
function looseIpv4(plain: string): string | undefined {
  if (!LOOSE_IPV4.test(plain)) return undefined;
  const numbers = plain.split(".").map(looseNumber);
  const last = numbers.pop() ?? Number.NaN;
  const room = 256 ** (4 - numbers.length);
  if (numbers.some((number) => !(number < 256)) || !(last < room)) return undefined;
  const rest = Array.from(
    { length: 4 - numbers.length },
    (_, index) => Math.floor(last / 256 ** index) % 256,
  );
  return [...numbers, ...rest.reverse()].join(".");
}

/** NaN for anything that is not a number, such as 09. */
function looseNumber(text: string): number {
  if (text.startsWith("0x")) return text === "0x" ? 0 : Number(text);
  if (!text.startsWith("0") || text === "0") return Number(text);
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function ipv6(
  plain: string,
  embedding: readonly (readonly number[])[],
  compatible: boolean,
): string | undefined {
  const words = parseIpv6(plain);
  if (words === undefined) return undefined;
  const [high = 0, low = 0] = words.slice(6);
  const embeds =
    embedding.some((first) => first.every((word, index) => words[index] === word)) ||
    (compatible && words.slice(0, 6).every((word) => word === 0) && (high !== 0 || low > 1));
  return embeds ? [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".") : shortest(words);
}

/** The eight words of an IPv6 address in lower case; undefined if it is not one. */
function parseIpv6(text: string): number[] | undefined {
  const dotted = /^(.*:)([\d.]+)$/.exec(text);
  const [, front = "", ipv4 = ""] = dotted?.[2]?.includes(".") ? dotted : [];
  if (ipv4 !== "" && !DOTTED_IPV4.test(ipv4)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split(".").map(Number);
  const hex = ipv4 === "" ? text : `${front}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const halves = hex.split("::");
  const parts = halves.map((half) => (half === "" ? [] : half.split(":")));
  const count = parts.flat().length;
  const isWhole = halves.length === 1 ? count === 8 : halves.length === 2 && count < 8;
  if (!isWhole || !parts.flat().every((word) => /^[0-9a-f]{1,4}$/.test(word))) return undefined;
  return wordsOf(hex);
}

/** As RFC 5952 writes it: the first of the longest runs of two and more zeros is left out. */
function shortest(words: readonly number[]): string {
  const text = words.map((word) => word.toString(16));
  let [start, length] = [0, 1];
  for (let from = 0; from < words.length; from++) {
    const end = words.findIndex((word, index) => index >= from && word !== 0);
    const run = (end === -1 ? words.length : end) - from;
    if (run > length) [start, length] = [from, run];
  }
  if (length < 2) return text.join(":");
  return `${text.slice(0, start).join(":")}::${text.slice(start + length).join(":")}`;
}

/** The eight words of an IPv6 address that is one, without an IPv4 address at its end. */
export function wordsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const words = (part: string) =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => 0), ...after];
}
