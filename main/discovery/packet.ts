/** DNS packets, as far as mDNS uses them. */
import { AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";

export interface Question {
  readonly name: string;
  /** "PTR", "ANY", … */
  readonly type: string;
}

interface RecordCommon {
  /** Labels with dots between; in whatever case its sender writes it. */
  readonly name: string;
  /** Seconds; 0 takes the record back. */
  readonly ttl?: number;
  /** These records replace all others of the same name and type. */
  readonly flush?: boolean;
}

/** A record; types other than these come too, with data of another shape, which nothing here reads. */
export type DnsRecord =
  | (RecordCommon & { readonly type: "A" | "AAAA" | "PTR"; readonly data: string })
  | (RecordCommon & {
      readonly type: "SRV";
      readonly data: { readonly port: number; readonly target: string };
    })
  | (RecordCommon & { readonly type: "TXT"; readonly data: readonly Buffer[] });

export interface Packet {
  readonly type: "query" | "response";
  readonly questions?: readonly Question[];
  readonly answers?: readonly DnsRecord[];
  readonly additionals?: readonly DnsRecord[];
}

/** A packet as it is sent to the group: a response speaks with authority (RFC 6762, section 18.4). */
export function encodePacket(packet: Packet): Buffer {
  return encode({ flags: packet.type === "response" ? AUTHORITATIVE_ANSWER : 0, ...packet });
}

/** @throws Error when the bytes are no DNS packet. */
export function decodePacket(bytes: Buffer): Required<Packet> {
  // dns-packet makes all parts, of these types, or throws.
  return decode(bytes) as Required<Packet>;
}
