/** What packet.ts uses of dns-packet, which carries no types. */
declare module "dns-packet" {
  const AUTHORITATIVE_ANSWER: number;
  function encode(packet: object): Buffer;
  /** @throws Error when the bytes are no DNS packet. */
  function decode(bytes: Buffer): unknown;
}
