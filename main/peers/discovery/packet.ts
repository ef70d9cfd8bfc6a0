/** DNS packets, as far as mDNS uses them, in the form in which multicast-dns (dns-packet) reads and writes them. */

export interface Question {
  readonly name: string;
  /** "PTR", "ANY", … */
  readonly type: string;
}

interface RecordCommon {
  /** Labels separated by dots, in the sender's letter case. */
  readonly name: string;
  /** Seconds; 0 withdraws the record. */
  readonly ttl?: number;
  /** These records replace all others of the same name and type. */
  readonly flush?: boolean;
}

/** A record; other types are received too, with data of another shape, which is never read here. */
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
