/** DNS packets, as far as mDNS uses them, in the form in which multicast-dns (dns-packet) reads and writes them. */

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
