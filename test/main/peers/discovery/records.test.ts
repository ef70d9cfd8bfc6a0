/**
 * The records of an announcement: what bonjour-service publishes for us is found by it again, and nothing else is. Its own
 * service and browser do the work, with an emitter in place of the network.
 */
import { EventEmitter } from "node:events";
import Bonjour from "bonjour-service";
import { describe, expect, it } from "vitest";
import type { DnsRecord, Packet } from "../../../../main/peers/discovery/packet.js";
import {
  announceable,
  type Heard,
  isGoodbye,
  mentionedIn,
  outgoing,
  ownQuestions,
  questionsAbout,
  readFound,
  relevant,
  SERVICE,
  serviceOf,
} from "../../../../main/peers/discovery/records.js";
import type { Announced } from "../../../../main/peers/discovery/sighting.js";
import { INSTANCE } from "../../../../main/peers/identity/instance.js";
import fc from "../../../support/seeded-check.js";

const deviceId = "a2".repeat(26);
const machine = { deviceId, name: "gpu-pc", port: 2220, version: "1.0.0" };
const noop = () => undefined;

/** The sent part of the library's records. */
function announcement(announced: Announced, addresses: readonly string[], lifetime: number): Packet {
  // Its types know only "PTR", "SRV", …, with data of any kind.
  const answers: DnsRecord[] = new Bonjour.Service(serviceOf(announced), noop, noop).records();
  return outgoing({ type: "response", answers }, announced.deviceId, addresses, lifetime);
}

/** The records that the library finds in a response and we use. */
function heardIn(packet: Packet): Heard[] {
  const network = Object.assign(new EventEmitter(), { query: noop });
  const heard: Heard[] = [];
  const browser = new Bonjour.Browser(network, { type: SERVICE }, (service) => {
    const found = readFound(service, 3600);
    if (found !== undefined) heard.push(found.heard);
  });
  const from = { address: "192.168.1.5", family: "IPv4", port: 5353, size: 0 };
  network.emit("response", { ...packet, answers: relevant(packet), additionals: [] }, from);
  browser.stop();
  return heard;
}

describe("an announcement", () => {
  const addresses = ["192.168.1.5", "fd00::5"];

  it("says who, where and for how long", () => {
    const packet = announcement(machine, addresses, 120);
    expect(heardIn(packet)).toEqual([{ ...machine, addresses, lifetime: 120, instance: INSTANCE }]);
    expect(mentionedIn(relevant(packet))).toEqual({ gone: [], incomplete: [] });
    expect(isGoodbye(packet)).toBe(false);
  });

  it("has our time and this interface's addresses, whatever the library puts in", () => {
    const packet = announcement(machine, addresses, 120);
    expect(new Set(packet.answers?.map(({ ttl }) => ttl))).toEqual(new Set([120]));
    const records = packet.answers?.filter(({ type }) => type === "A" || type === "AAAA");
    expect(records?.map(({ data }) => data)).toEqual(addresses);
    expect(records?.every(({ flush }) => flush)).toBe(true);
  });

  it("without time is a goodbye, and not of the whole type", () => {
    const packet = announcement(machine, addresses, 0);
    expect(isGoodbye(packet)).toBe(true);
    expect(heardIn(packet)).toEqual([]);
    expect(mentionedIn(relevant(packet)).gone).toEqual([deviceId]);
    expect(packet.answers?.some(({ name }) => name.startsWith("_services."))).toBe(false);
  });

  it("is believed for so long at most as we say", () => {
    expect(heardIn(announcement(machine, [], 0x7fff_ffff))[0]?.lifetime).toBe(3600);
  });

  it("carries any name that a user may give, in a form that is read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        const written = { ...machine, name: announceable(name) };
        const [heard] = heardIn(announcement(written, [], 120));
        expect(heard?.name).toBe(written.name);
      }),
    );
    expect(announceable("  Büro 3\u202e\n ")).toBe("Büro 3");
    expect(announceable("\u0000")).toBe("Unnamed machine");
    expect(Buffer.byteLength(announceable("𝕏".repeat(200)))).toBeLessThanOrEqual(200);
  });

  it("of which a part is missing is asked about, not believed", () => {
    const { answers = [], ...packet } = announcement(machine, [], 120);
    const part = { ...packet, answers: answers.filter(({ type }) => type !== "TXT") };
    expect(heardIn(part)).toEqual([]);
    expect(mentionedIn(relevant(part))).toEqual({ gone: [], incomplete: [deviceId] });
    const questions = questionsAbout([deviceId]);
    expect(ownQuestions(deviceId, { ...query(), questions }, 120)).toEqual(
      questions.map(({ name, type }) => ({ name: name.toLowerCase(), type })),
    );
  });

  it.each([
    ["another port in one of two places", { port: 1 }],
    ["no name", { name: " " }],
    ["a name of several lines", { name: "one\ntwo" }],
    ["a name that turns the text around", { name: "a\u202eb" }],
    ["a name that is too long", { name: "n".repeat(101) }],
    ["a version that is too long", { version: "1".repeat(41) }],
    ["a device ID that is none", { deviceId: "A".repeat(52) }],
    ["the device ID of another", { deviceId: "b3".repeat(26) }],
  ])("with %s is not believed", (_what, wrong) => {
    const packet = announcement(machine, [], 120);
    const lying = announcement({ ...machine, ...wrong }, [], 120).answers?.find(({ type }) => type === "TXT");
    const answers = packet.answers?.map((answer) => {
      return answer.type === "TXT" && lying?.type === "TXT" ? { ...answer, data: lying.data } : answer;
    });
    expect(answers).not.toEqual(packet.answers);
    expect(heardIn({ ...packet, answers: answers ?? [] })).toEqual([]);
  });

  it("of too many machines at once is none", () => {
    const [pointer] = announcement(machine, [], 120).answers ?? [];
    if (pointer === undefined) throw new Error("The pointer comes first.");
    expect(relevant({ type: "response", answers: Array(16).fill(pointer) })).toHaveLength(16);
    expect(relevant({ type: "response", answers: Array(17).fill(pointer) })).toEqual([]);
  });

  it("never makes reading fail, whatever records come", () => {
    const honest = announcement(machine, ["192.168.1.5"], 120).answers ?? [];
    const name = fc.constantFrom(...new Set(honest.map((record) => record.name)), "", ".", "x".repeat(300));
    const common = { name, ttl: fc.option(fc.nat(), { nil: undefined }) };
    const record = fc.oneof(
      fc.constantFrom(...honest),
      fc.record({ ...common, type: fc.constantFrom("A", "AAAA", "PTR"), data: fc.oneof(name, fc.string()) }),
      fc.record({
        ...common,
        type: fc.constant("SRV"),
        data: fc.record({ port: fc.nat(65535), target: name }),
      }),
      fc.record({
        ...common,
        type: fc.constant("TXT"),
        data: fc.array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
      }),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), (records) => {
        // The records of fast-check are of the type that goes with their data.
        const packet = { type: "response", answers: records as DnsRecord[] } as const;
        heardIn(packet);
        mentionedIn(relevant(packet));
        ownQuestions(deviceId, { ...query(), answers: packet.answers }, 120);
      }),
    );
  });
});

function query(...questions: { name: string; type: string }[]): Required<Packet> {
  return { type: "query", questions, answers: [], additionals: [] };
}

describe("a question", () => {
  const asks = (name: string, type: string) =>
    ownQuestions(deviceId, query({ name, type }), 120).length === 1;

  it("for the service, the machine or its host is ours to answer", () => {
    expect(asks("_tensordeck._tcp.local", "PTR")).toBe(true);
    expect(asks(`${deviceId.toUpperCase()}._Tensordeck._tcp.local`, "TXT")).toBe(true);
    expect(asks(`${deviceId}.local`, "A")).toBe(true);
    expect(asks(`${deviceId}.local`, "ANY")).toBe(true);
  });

  it("for others is not", () => {
    expect(asks("_http._tcp.local", "PTR")).toBe(false);
    expect(asks(`${"b3".repeat(26)}._tensordeck._tcp.local`, "SRV")).toBe(false);
    expect(asks(`${deviceId}.local`, "TXT")).toBe(false);
  });

  it("whose asker knows the answer, and will for a while, needs none", () => {
    const [pointer] = announcement(machine, [], 120).answers ?? [];
    if (pointer === undefined) throw new Error("The pointer comes first.");
    const search = query({ name: "_tensordeck._tcp.local", type: "PTR" });
    const knowing = (ttl: number) => ({ ...search, answers: [{ ...pointer, ttl }] });
    expect(ownQuestions(deviceId, knowing(100), 120)).toEqual([]);
    expect(ownQuestions(deviceId, knowing(30), 120)).toHaveLength(1);
  });
});
