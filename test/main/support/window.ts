/** A window without a browser: enters with a link and speaks the contract over the WebSocket. */
import { decode, encode } from "@msgpack/msgpack";
import { WebSocket } from "ws";
import type { EventData, EventName, MethodName, Params, Result } from "../../../main/api/contract.js";
import {
  MESSAGE_PACK_ENCODE,
  SESSION_PATH,
  SOCKET_PATH,
  socketProtocols,
} from "../../../main/api/headless.js";
import { messageSchema, ProblemError } from "../../../main/api/wire.js";

export interface TestWindow {
  call<M extends MethodName>(method: M, params?: Params<M>): Promise<Result<M>>;
  /** Resolves with the first event, from now on, that fits. */
  next<E extends EventName>(
    event: E,
    fits: (data: EventData<E>) => boolean,
    millis?: number,
  ): Promise<EventData<E>>;
  close(): void;
}

export async function openWindow(url: string): Promise<TestWindow> {
  const { origin, host, hash } = new URL(url);
  const token = new URLSearchParams(hash.slice(1)).get("token");
  const response = await fetch(`${origin}${SESSION_PATH}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin },
    body: JSON.stringify({ token }),
  });
  const { secret } = (await response.json()) as { secret: string };
  const socket = new WebSocket(`ws://${host}${SOCKET_PATH}`, socketProtocols(secret), { origin });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });

  const pending = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
  const listeners = new Set<(event: string, data: unknown) => void>();
  socket.on("message", (frame: Buffer) => {
    const message = messageSchema.parse(decode(new Uint8Array(frame)));
    if ("event" in message) {
      for (const listener of [...listeners]) listener(message.event, message.data);
      return;
    }
    const call = pending.get(message.id);
    pending.delete(message.id);
    if (message.ok) call?.resolve(message.result);
    else call?.reject(new ProblemError(message.problem));
  });

  let nextId = 0;
  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        pending.set(id, { resolve: (result) => resolve(result as never), reject });
        socket.send(encode({ id, method, params }, MESSAGE_PACK_ENCODE));
      }),
    next: (event, fits, millis = 60_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          listeners.delete(listener);
          reject(new Error(`Waited ${millis} ms for an event "${event}"`));
        }, millis);
        const listener = (name: string, data: unknown) => {
          if (name !== event || !fits(data as never)) return;
          clearTimeout(timer);
          listeners.delete(listener);
          resolve(data as never);
        };
        listeners.add(listener);
      }),
    close: () => socket.terminate(),
  };
}
