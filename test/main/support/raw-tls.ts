/** A TLS client that keeps to no rules, for tests that play the attacker. */
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { makeCertificate } from "../../../main/peers/identity/certificate.js";
import { type Identity, identityOf } from "../../../main/peers/identity/identity.js";
import { LOOPBACK } from "./trusting.js";

/** An identity of somebody who is not there otherwise. */
export async function anyIdentity(): Promise<Identity> {
  const { keyPem, certPem } = await makeCertificate();
  return identityOf(`${keyPem}${certPem}`);
}

/** A connection to an agent's port that accepts whatever answers. */
export function rawTls(port: number, options: ConnectionOptions): TLSSocket {
  const socket = connect({ host: LOOPBACK, port, rejectUnauthorized: false, servername: "x", ...options });
  socket.on("error", () => undefined);
  return socket;
}

/** All bytes that come until the other side ends the connection. */
export async function receivedUntilClosed(socket: TLSSocket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(chunks);
}
