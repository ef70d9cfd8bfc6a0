/**
 * A window whose connection to its application passes through the test, which can inject events: a pairing, which would
 * need another machine, or a firewall that blocks.
 */
import { Decoder, Encoder } from "@msgpack/msgpack";
import type { Page, WebSocketRoute } from "playwright-core";
import { z } from "zod";
import type { EventData, EventName } from "../../../main/api/contract.js";
import { MESSAGE_PACK_ENCODE, SOCKET_PATH } from "../../../main/api/headless.js";
import { numberedEventSchema } from "../../../main/api/missed-events.js";

const encoder = new Encoder(MESSAGE_PACK_ENCODE);
const decoder = new Decoder();
/** The result of `events.missed`, which a window calls when it has connected. */
const missedSchema = z.looseObject({
  result: z.looseObject({ last: z.looseObject({ sequence: z.number() }) }),
});

export class ToldEvents {
  #socket: WebSocketRoute | undefined;
  /** The number of the last event that the window knows. */
  #sequence = 0;
  /** How many of the events that the window knows the application has not sent. */
  #told = 0;

  /** Must be called before the page is opened. */
  static async of(page: Page): Promise<ToldEvents> {
    const events = new ToldEvents();
    await page.routeWebSocket(
      (url) => url.pathname === SOCKET_PATH,
      (socket) => events.#pass(socket),
    );
    return events;
  }

  /** Sends the window an event, as if it came from its application. */
  tell<E extends EventName>(event: E, data?: EventData<E>): void {
    this.#told++;
    this.#send({ event, sequence: ++this.#sequence, ...(data === undefined ? {} : { data }) });
  }

  #pass(socket: WebSocketRoute): void {
    this.#socket = socket;
    const application = socket.connectToServer();
    socket.onMessage((frame) => application.send(frame));
    application.onMessage((frame) => {
      const message: unknown = typeof frame === "string" ? frame : decoder.decode(frame);
      const missed = missedSchema.safeParse(message);
      const event = numberedEventSchema.safeParse(message);
      if (missed.success) this.#sequence = missed.data.result.last.sequence;
      if (event.success) {
        this.#sequence = event.data.sequence + this.#told;
        this.#send({ ...event.data, sequence: this.#sequence });
      } else socket.send(frame);
    });
  }

  #send(message: unknown): void {
    this.#socket?.send(Buffer.from(encoder.encode(message)));
  }
}
