/** The records of an announcement: what is written is read again, and nothing else is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePacket, encodePacket, type Packet } from "../../../main/discovery/packet.js";
import {
  announceable,
  announcement,
  asksFor,
  readResponse,
  search,
} from "../../../main/discovery/records.js";

const deviceId = "a2".repeat(26);
const machine = { deviceId, name: "gpu-pc", port: 2220, version: "1.0.0" };

function received(packet: Packet): Required<Packet> {
  return decodePacket(encodePacket(packet));
}

describe("an announcement", () => {
  it("says who, where and for how long", () => {
    const told = readResponse(received(announcement(machine, ["192.168.1.5", "fd00::5"], 120)));
    expect(told).toEqual({
      heard: [{ ...machine, addresses: ["192.168.1.5", "fd00::5"], lifetime: 120 }],
      gone: [],
      incomplete: [],
    });
  });

  it("without time is a goodbye", () => {
    const told = readResponse(received(announcement(machine, ["192.168.1.5"], 0)));
    expect(told).toEqual({ heard: [], gone: [deviceId], incomplete: [] });
  });

  it("carries any name that a user may give, in a form that is read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        const written = { ...machine, name: announceable(name) };
        const [heard] = readResponse(received(announcement(written, [], 120))).heard;
        expect(heard?.name).toBe(written.name);
      }),
    );
    expect(announceable("  Büro 3\u202e\n ")).toBe("Büro 3");
    expect(announceable("\u0000")).toBe("Unnamed machine");
    expect(Buffer.byteLength(announceable("𝕏".repeat(200)))).toBeLessThanOrEqual(200);
  });

  it("of which a part is missing is asked about, not believed", () => {
    const { type, answers = [] } = announcement(machine, [], 120);
    const part = received({ type, answers: answers.filter((answer) => answer.type !== "TXT") });
    expect(readResponse(part)).toEqual({ heard: [], gone: [], incomplete: [deviceId] });
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
    expect(readResponse(received({ ...packet, answers: answers ?? [] })).heard).toEqual([]);
  });

  it("never makes reading fail, whatever bytes come", () => {
    const honest = encodePacket(announcement(machine, ["192.168.1.5"], 120));
    const edit = fc.record({ at: fc.nat(honest.length - 1), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 8 }), fc.nat(honest.length), (edits, length) => {
        const bytes = Buffer.from(honest.subarray(0, length));
        for (const { at, byte } of edits) if (at < bytes.length) bytes[at] = byte;
        let packet: Required<Packet>;
        try {
          packet = decodePacket(bytes);
        } catch {
          return;
        }
        readResponse(packet);
        asksFor(deviceId, packet, 120);
      }),
    );
  });
});

describe("a question", () => {
  const ask = (name: string, type: string) => received({ type: "query", questions: [{ name, type }] });

  it("for the service, the machine or its host is ours to answer", () => {
    expect(asksFor(deviceId, received(search()), 120)).toBe(true);
    expect(asksFor(deviceId, ask(`${deviceId.toUpperCase()}._Tensordeck._tcp.local`, "TXT"), 120)).toBe(true);
    expect(asksFor(deviceId, ask(`${deviceId}.local`, "A"), 120)).toBe(true);
    expect(asksFor(deviceId, ask(`${deviceId}.local`, "ANY"), 120)).toBe(true);
  });

  it("for others is not", () => {
    expect(asksFor(deviceId, ask("_http._tcp.local", "PTR"), 120)).toBe(false);
    expect(asksFor(deviceId, ask(`${"b3".repeat(26)}._tensordeck._tcp.local`, "SRV"), 120)).toBe(false);
    expect(asksFor(deviceId, ask(`${deviceId}.local`, "TXT"), 120)).toBe(false);
  });

  it("whose asker knows the answer, and will for a while, needs none", () => {
    const [pointer] = announcement(machine, [], 120).answers ?? [];
    if (pointer === undefined) throw new Error("The pointer comes first.");
    const knowing = (ttl: number) => received({ ...search(), answers: [{ ...pointer, ttl }] });
    expect(asksFor(deviceId, knowing(100), 120)).toBe(false);
    expect(asksFor(deviceId, knowing(30), 120)).toBe(true);
  });
});
