/**
 * The DNS records by which a machine announces itself (RFC 6763), made and read. What is read comes from anybody on the
 * network: it is taken only if all of it is as we would have written it.
 */
import { deviceIdSchema } from "../api/machines.js";
import type { DnsRecord, Packet, Question } from "./packet.js";
import type { Announced } from "./sighting.js";

export const SERVICE_TYPE = "_tensordeck._tcp.local";
const ALL_TYPES = "_services._dns-sd._udp.local";

/** Bytes that the name may have, so that it fits into one string of a TXT record. */
const LONGEST_NAME_BYTES = 200;
const LONGEST_NAME = 100;
const LONGEST_VERSION = 40;
/** Control characters, and those that change how their neighbours are read, such as direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u;

/** Seconds for which what others say is believed at most; they could say 68 years. */
const LONGEST_LIFETIME = 3600;

/** A machine of which a packet tells. */
export interface Heard extends Announced {
  /** As the packet has them, unchecked but for their form. */
  readonly addresses: readonly string[];
  /** How long it stays true without being said again, in seconds. */
  readonly lifetime: number;
}

/** What a response says. */
export interface Told {
  readonly heard: readonly Heard[];
  /** Device IDs that say goodbye. */
  readonly gone: readonly string[];
  /** Device IDs that are named without their port or texts: those have to be asked for. */
  readonly incomplete: readonly string[];
}

/** A name as it can be announced: printable, on one line, short enough, never empty. */
export function announceable(name: string): string {
  let text = "";
  for (const character of name.trim().slice(0, LONGEST_NAME)) {
    if (UNPRINTABLE.test(character)) continue;
    if (Buffer.byteLength(text + character) > LONGEST_NAME_BYTES) break;
    text += character;
  }
  return text.trim() === "" ? "Unnamed machine" : text;
}

function instanceOf(deviceId: string): string {
  return `${deviceId}.${SERVICE_TYPE}`;
}

/**
 * The name of the host in the records. Not the system's own: another responder on this machine, avahi or Bonjour, answers
 * for that one and takes a second answer for a conflict.
 */
function hostOf(deviceId: string): string {
  return `${deviceId}.local`;
}

/**
 * All records of a machine on one of its interfaces.
 *
 * @param lifetime In seconds; 0 says goodbye.
 */
export function announcement(machine: Announced, addresses: readonly string[], lifetime: number): Packet {
  const instance = instanceOf(machine.deviceId);
  const host = hostOf(machine.deviceId);
  const texts = Object.entries({
    id: machine.deviceId,
    name: machine.name,
    port: String(machine.port),
    version: machine.version,
  });
  const own = { ttl: lifetime, flush: true };
  return {
    type: "response",
    answers: [
      { name: SERVICE_TYPE, type: "PTR", ttl: lifetime, data: instance },
      { name: instance, type: "SRV", ...own, data: { port: machine.port, target: host } },
      {
        name: instance,
        type: "TXT",
        ...own,
        data: texts.map(([key, text]) => Buffer.from(`${key}=${text}`)),
      },
      ...addresses.map(
        (data): DnsRecord => ({ name: host, type: data.includes(":") ? "AAAA" : "A", ...own, data }),
      ),
    ],
    // The type itself stays known while any machine of it is there: no goodbye.
    additionals: lifetime === 0 ? [] : [{ name: ALL_TYPES, type: "PTR", ttl: lifetime, data: SERVICE_TYPE }],
  };
}

/** Asks who is there. */
export function search(): Packet {
  return { type: "query", questions: [{ name: SERVICE_TYPE, type: "PTR" }] };
}

/** Asks for port and texts of machines of which only the names were told. */
export function inquiry(deviceIds: readonly string[]): Packet {
  const questions = deviceIds.flatMap((id): Question[] => [
    { name: instanceOf(id), type: "SRV" },
    { name: instanceOf(id), type: "TXT" },
  ]);
  return { type: "query", questions };
}

/** Whether a query asks for any record of this machine, and does not say that it knows the answer already. */
export function asksFor(deviceId: string, query: Required<Packet>, lifetime: number): boolean {
  const instance = instanceOf(deviceId);
  const own = new Map([
    [SERVICE_TYPE, ["PTR"]],
    [ALL_TYPES, ["PTR"]],
    [instance, ["SRV", "TXT"]],
    [hostOf(deviceId), ["A", "AAAA"]],
  ]);
  const asked = query.questions.filter(({ name, type }) => {
    const types = own.get(name.toLowerCase());
    return types !== undefined && (type === "ANY" || types.includes(type));
  });
  const known = (question: Question) =>
    query.answers.some(
      (answer) =>
        answer.type === "PTR" &&
        answer.name.toLowerCase() === question.name.toLowerCase() &&
        (answer.data.toLowerCase() === instance || answer.data.toLowerCase() === SERVICE_TYPE) &&
        (answer.ttl ?? 0) >= lifetime / 2,
    );
  return asked.some((question) => !known(question));
}

/** Whether a packet has anything of our service in it. */
export function concerns(packet: Required<Packet>): boolean {
  const ours = ({ name }: { name: string }) => name.toLowerCase().endsWith(SERVICE_TYPE);
  return packet.answers.some(ours) || packet.additionals.some(ours);
}

/** What a response says of machines with Tensordeck; of any that is not described as we would, nothing. */
export function readResponse(packet: Required<Packet>): Told {
  const records = [...packet.answers, ...packet.additionals];
  const named = new Map<string, number>();
  for (const record of records) {
    const instance = instanceNamedBy(record);
    if (instance === undefined) continue;
    named.set(instance, Math.min(record.ttl ?? 0, named.get(instance) ?? LONGEST_LIFETIME));
  }
  const told = { heard: [] as Heard[], gone: [] as string[], incomplete: [] as string[] };
  for (const [deviceId, lifetime] of named) {
    if (lifetime === 0) {
      told.gone.push(deviceId);
      continue;
    }
    const own = records.filter(({ name }) => name.toLowerCase() === instanceOf(deviceId));
    const service = own.find((record) => record.type === "SRV");
    const text = own.find((record) => record.type === "TXT");
    if (service?.type !== "SRV" || text?.type !== "TXT") {
      told.incomplete.push(deviceId);
      continue;
    }
    const announced = readTexts(text.data);
    if (announced?.deviceId !== deviceId || announced.port !== service.data.port) continue;
    const target = service.data.target.toLowerCase();
    const addresses = records.flatMap((record) =>
      (record.type === "A" || record.type === "AAAA") &&
      record.name.toLowerCase() === target &&
      record.ttl !== 0
        ? [record.data]
        : [],
    );
    told.heard.push({ ...announced, addresses, lifetime });
  }
  return told;
}

/** Device ID of the instance that a record belongs to. */
function instanceNamedBy(record: DnsRecord): string | undefined {
  const name = record.name.toLowerCase();
  let instance: string | undefined;
  if (record.type === "PTR" && name === SERVICE_TYPE) instance = record.data.toLowerCase();
  if (record.type === "SRV" || record.type === "TXT") instance = name;
  if (instance === undefined || !instance.endsWith(`.${SERVICE_TYPE}`)) return undefined;
  const parsed = deviceIdSchema.safeParse(instance.slice(0, -SERVICE_TYPE.length - 1));
  return parsed.success ? parsed.data : undefined;
}

function readTexts(strings: readonly Buffer[]): Announced | undefined {
  const texts = new Map<string, string>();
  for (const bytes of strings) {
    const string = utf8(bytes);
    const equals = string?.indexOf("=") ?? -1;
    if (string === undefined || equals <= 0) return undefined;
    const key = string.slice(0, equals).toLowerCase();
    // Of a key that comes twice, the first counts (RFC 6763, section 6.4).
    if (!texts.has(key)) texts.set(key, string.slice(equals + 1));
  }
  const deviceId = deviceIdSchema.safeParse(texts.get("id"));
  const name = texts.get("name") ?? "";
  const version = texts.get("version") ?? "";
  const port = /^[1-9]\d{0,4}$/.test(texts.get("port") ?? "") ? Number(texts.get("port")) : 0;
  if (!deviceId.success || port === 0 || port > 65_535) return undefined;
  if (!printable(name, LONGEST_NAME) || !printable(version, LONGEST_VERSION)) return undefined;
  return { deviceId: deviceId.data, name, port, version };
}

function printable(text: string, longest: number): boolean {
  return text.trim() !== "" && text.length <= longest && !UNPRINTABLE.test(text);
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
