/**
 * How a machine announces itself (RFC 6763): what bonjour-service publishes and finds, and the records that it sends and
 * reads for it. Records come from anyone on the network: they are accepted only if they have exactly the form that this
 * program writes.
 */
import type Bonjour from "bonjour-service";
import { z } from "zod";
import { deviceIdSchema } from "../../api/machines.js";
import { INSTANCE, instanceFrom } from "../identity/instance.js";
import type { DnsRecord, Packet, Question } from "./packet.js";
import type { Announced } from "./sighting.js";

/** The type of the service, as the library names it. */
export const SERVICE = "tensordeck";
/** Its name in DNS. */
export const SERVICE_TYPE = `_${SERVICE}._tcp.local`;
const ALL_TYPES = "_services._dns-sd._udp.local";

/** Maximum bytes of a name, so that it fits into one string of a TXT record. */
const LONGEST_NAME_BYTES = 200;
const LONGEST_NAME = 100;
const LONGEST_VERSION = 40;
/** Control characters, and those that change how their neighbours are read, such as direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u;

/** Maximum machines in a packet, and records for them; the library's work grows with both. */
const MOST_NAMED = 16;
const MOST_RECORDS = 128;

/** A machine that was announced. */
export interface Heard extends Announced {
  /** As in the packet; only their form is checked. */
  readonly addresses: readonly string[];
  /** How long it stays valid without being repeated, in seconds. */
  readonly lifetime: number;
  /** The announcing process; undefined for a version that does not tell. */
  readonly instance?: string | undefined;
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
 * The name of the host in the records. Not the system's own: another responder on this machine, avahi or Bonjour,
 * answers for that name and treats a second answer as a conflict.
 */
function hostOf(deviceId: string): string {
  return `${deviceId}.local`;
}

/** A machine as the library publishes it. */
export function serviceOf(machine: Announced): Bonjour.ServiceConfig {
  return {
    name: machine.deviceId,
    type: SERVICE,
    protocol: "tcp",
    host: hostOf(machine.deviceId),
    port: machine.port,
    txt: {
      id: machine.deviceId,
      name: machine.name,
      port: String(machine.port),
      version: machine.version,
      // Distinguishes two machines with one identity, copies of each other.
      instance: INSTANCE,
    },
    // Device IDs are unique, and the library's probing can make it send a goodbye for the other machine.
    probe: false,
  };
}

/** Whether a response withdraws all of its records. */
export function isGoodbye({ answers = [] }: Packet): boolean {
  return answers.every(({ ttl }) => ttl === 0);
}

/**
 * A response of the library as it is sent. The library gives a name 8 hours to live, so a killed machine would stay
 * listed that long; it announces the addresses of all networks on each of them; and it never marks its records as
 * replacing older ones.
 *
 * @param addresses All of the interface, without scope.
 * @param lifetime In seconds; 0 says goodbye.
 */
export function outgoing(
  packet: Packet,
  deviceId: string,
  addresses: readonly string[],
  lifetime: number,
): Packet {
  const said = [...(packet.answers ?? []), ...(packet.additionals ?? [])];
  const isAddress = ({ type }: DnsRecord) => type === "A" || type === "AAAA";
  const needsAddresses = said.some((record) => isAddress(record) || record.type === "SRV");
  const records = said
    // The type itself stays known while any machine of it is there: no goodbye.
    .filter((record) => !isAddress(record) && !(lifetime === 0 && record.name === ALL_TYPES))
    .map((record): DnsRecord => ({ ...record, ttl: lifetime, flush: record.type !== "PTR" }));
  const own = { name: hostOf(deviceId), ttl: lifetime, flush: true };
  const places = addresses.map(
    (data): DnsRecord => ({ ...own, type: data.includes(":") ? "AAAA" : "A", data }),
  );
  return { ...packet, answers: needsAddresses ? [...records, ...places] : records, additionals: [] };
}

/**
 * Questions for the port and texts of machines of which only the names are known, so that one answer has
 * everything.
 */
export function questionsAbout(deviceIds: readonly string[]): Question[] {
  const questions = deviceIds.flatMap((id) => [
    { name: instanceOf(id), type: "SRV" },
    { name: instanceOf(id), type: "TXT" },
  ]);
  return [{ name: SERVICE_TYPE, type: "PTR" }, ...questions];
}

/** Whether a query asks for all machines, including those that its sender knows. */
export function asksForAll({ questions, answers }: Required<Packet>): boolean {
  const asks = questions.some(({ name, type }) => type === "PTR" && name.toLowerCase() === SERVICE_TYPE);
  return asks && answers.length === 0;
}

/** The questions of a query about this machine whose answers the query does not list as known. */
export function ownQuestions(deviceId: string, query: Required<Packet>, lifetime: number): Question[] {
  const instance = instanceOf(deviceId);
  const own = new Map([
    [SERVICE_TYPE, ["PTR"]],
    [ALL_TYPES, ["PTR"]],
    [instance, ["SRV", "TXT"]],
    [hostOf(deviceId), ["A", "AAAA"]],
  ]);
  const asked = query.questions
    .map(({ name, type }) => ({ name: name.toLowerCase(), type }))
    .filter(({ name, type }) => {
      const types = own.get(name);
      return types !== undefined && (type === "ANY" || types.includes(type));
    });
  const known = (question: Question) =>
    query.answers.some(
      (answer) =>
        answer.type === "PTR" &&
        answer.name.toLowerCase() === question.name &&
        (answer.data.toLowerCase() === instance || answer.data.toLowerCase() === SERVICE_TYPE) &&
        (answer.ttl ?? 0) >= lifetime / 2,
    );
  return asked.filter((question) => !known(question));
}

/** The records of a response that are about machines with Tensordeck; empty for a response with too many. */
export function relevant({ answers = [], additionals = [] }: Packet): DnsRecord[] {
  const records = [...answers, ...additionals].filter(({ name, type }) =>
    type === "A" || type === "AAAA" ? true : name.toLowerCase().endsWith(SERVICE_TYPE),
  );
  const named = records.filter(({ type }) => type === "PTR");
  return named.length > MOST_NAMED || records.length > MOST_RECORDS ? [] : records;
}

/** The facts about machines in records, apart from how to reach them. */
interface Mentioned {
  /** Device IDs that say goodbye. */
  readonly gone: readonly string[];
  /** Device IDs that are named without their port or texts, which have to be queried. */
  readonly incomplete: readonly string[];
}

/** The machines that records withdraw, or name without describing them. */
export function mentionedIn(records: readonly DnsRecord[]): Mentioned {
  const told = { gone: [] as string[], incomplete: [] as string[] };
  for (const record of records) {
    if (record.type !== "PTR" || record.name.toLowerCase() !== SERVICE_TYPE) continue;
    const instance = record.data.toLowerCase();
    const deviceId = deviceIdSchema.safeParse(instance.slice(0, -SERVICE_TYPE.length - 1));
    if (!deviceId.success || instance !== instanceOf(deviceId.data)) continue;
    const has = (type: string) =>
      records.some((other) => other.type === type && other.name.toLowerCase() === instance);
    if (record.ttl === 0) told.gone.push(deviceId.data);
    else if (!has("SRV") || !has("TXT")) told.incomplete.push(deviceId.data);
  }
  return told;
}

/** The library's description of a found service, as far as it is needed. Any part may be missing. */
const foundSchema = z.object({
  name: z.string().toLowerCase().pipe(deviceIdSchema),
  port: z.int(),
  /**
   * The texts as they came: the library's own parsing alters values that are not UTF-8 or have several lines.
   */
  rawTxt: z.array(z.instanceof(Buffer)),
  addresses: z.array(z.string()),
  ttl: z.int().positive(),
  referer: z.object({ address: z.string() }),
});

/**
 * A service that the library found; undefined if it does not have the form that this program writes.
 *
 * @param longest Maximum lifetime in seconds; the record could claim 68 years.
 * @returns With the address of the sender, without scope.
 */
export function readFound(service: unknown, longest: number): { heard: Heard; source: string } | undefined {
  const found = foundSchema.safeParse(service);
  if (!found.success) return undefined;
  const { name, port, rawTxt, addresses, ttl, referer } = found.data;
  const announced = readTexts(rawTxt);
  if (announced?.deviceId !== name || announced.port !== port) return undefined;
  const [source = ""] = referer.address.split("%");
  return { heard: { ...announced, addresses, lifetime: Math.min(ttl, longest) }, source };
}

function readTexts(strings: readonly Buffer[]): (Announced & Pick<Heard, "instance">) | undefined {
  const texts = new Map<string, string>();
  for (const bytes of strings) {
    const string = utf8(bytes);
    const equals = string?.indexOf("=") ?? -1;
    if (string === undefined || equals <= 0) return undefined;
    const key = string.slice(0, equals).toLowerCase();
    // If a key comes twice, the first one counts (RFC 6763, section 6.4).
    if (!texts.has(key)) texts.set(key, string.slice(equals + 1));
  }
  const deviceId = deviceIdSchema.safeParse(texts.get("id"));
  const name = texts.get("name") ?? "";
  const version = texts.get("version") ?? "";
  const port = /^[1-9]\d{0,4}$/.test(texts.get("port") ?? "") ? Number(texts.get("port")) : 0;
  if (!deviceId.success || port === 0 || port > 65_535) return undefined;
  if (!printable(name, LONGEST_NAME) || !printable(version, LONGEST_VERSION)) return undefined;
  const instance = instanceFrom(texts.get("instance"));
  return { deviceId: deviceId.data, name, port, version, ...(instance !== undefined && { instance }) };
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
