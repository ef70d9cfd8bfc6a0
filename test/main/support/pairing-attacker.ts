/** Somebody who speaks the pairing protocol, but not by its rules. */
import type { TLSSocket } from "node:tls";
import type { Identity } from "../../../main/peers/identity/identity.js";
import {
  encodeFrame,
  FrameReader,
  type MessageOf,
  PAIRING_VERSION,
  type PairingMessage,
} from "../../../main/peers/pairing/pairing-messages.js";
import { Alpn } from "../../../main/peers/port/agent-peer.js";
import { dialUnknownAgent } from "../../../main/peers/port/dial-agent.js";
import { LOOPBACK } from "./trusting.js";

export const hello: MessageOf<"hello"> = {
  type: "hello",
  version: PAIRING_VERSION,
  name: "mallory",
  grantedRole: "manage",
  agentPort: 2220,
  knowsYou: false,
};

export interface Talker {
  readonly socket: TLSSocket;
  send(...messages: PairingMessage[]): void;
  /** The next message; undefined when the other side has ended the connection. */
  next(): Promise<PairingMessage | undefined>;
}

/** Takes messages one by one from a connection to a pairing. */
export function talkerOf(socket: TLSSocket): Talker {
  const reader = new FrameReader();
  const arrived: PairingMessage[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  socket.on("data", (chunk: Buffer) => {
    arrived.push(...reader.push(chunk));
    wake();
  });
  socket.once("close", () => {
    isOver = true;
    wake();
  });
  socket.on("end", () => socket.end());
  return {
    socket,
    send: (...messages) => {
      for (const message of messages) socket.write(encodeFrame(message));
    },
    next: async () => {
      while (arrived.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return arrived.shift();
    },
  };
}

/** Connects to a machine's pairing. */
export async function connectAsUnpaired(port: number, identity: Identity): Promise<Talker> {
  const { socket } = await dialUnknownAgent({
    identity,
    addresses: [`${LOOPBACK}:${port}`],
    alpn: Alpn.pairing,
  });
  return talkerOf(socket);
}
