import { describe, expect, test } from "vitest";
import type { StreamFrame } from "../../../../../../protos/generated/tensordeck/worker_stream.js";
import {
  FrameSender,
  PART_BYTES,
} from "../../../../../../worker-runtime/engines/portable/transport/stream/frame-sender.js";
import { OutgoingPayload } from "../../../../../../worker-runtime/engines/portable/transport/stream/outgoing-payload.js";

/** A network that takes a frame when it is told to. */
class Network {
  readonly frames: StreamFrame[] = [];
  readonly done: number[] = [];
  readonly sender = new FrameSender((frame, taken) => {
    this.frames.push(frame);
    this.#untaken.push(taken);
  });
  readonly #untaken: (() => void)[] = [];

  /** The frames since the last time, as "call kind bytes". */
  seen(): string[] {
    return this.frames.splice(0).map(describeFrame);
  }

  take(count = 1): void {
    for (const taken of this.#untaken.splice(0, count)) {
      taken();
    }
  }

  request(callId: number, byteLength: number): void {
    this.sender.sendPayload({
      callId,
      payload: new OutgoingPayload({ chunks: [new Uint8Array(byteLength)], byteLength }),
      first: (payload) => ({ $case: "request", value: { method: "X", payload } }),
      done: () => this.done.push(callId),
    });
  }

  cancel(callId: number): void {
    this.sender.send({ callId, content: { $case: "cancel", value: {} } });
  }
}

function describeFrame({ callId, content }: StreamFrame): string {
  switch (content?.$case) {
    case "request":
      return `${callId} request ${content.value.payload?.data.byteLength} of ${content.value.payload?.size}`;
    case "part":
      return `${callId} part ${content.value.byteLength}`;
    default:
      return `${callId} ${content?.$case}`;
  }
}

describe("one direction of a stream", () => {
  test("small payloads go out whole", () => {
    const network = new Network();
    network.request(1, 0);
    network.request(2, 1000);
    expect(network.seen()).toEqual(["1 request 0 of 0", "2 request 1000 of 1000"]);
    expect(network.done).toEqual([1, 2]);
  });

  test("large ones are cut, wait for the network and are overtaken by small ones", () => {
    const network = new Network();
    const size = 3 * PART_BYTES + 1;
    network.request(1, size);
    expect(network.seen()).toEqual([`1 request ${PART_BYTES} of ${size}`, `1 part ${PART_BYTES}`]);
    network.request(2, 10);
    network.cancel(3);
    expect(network.seen()).toEqual([]);
    network.take();
    expect(network.seen()).toEqual(["2 request 10 of 10", "3 cancel", `1 part ${PART_BYTES}`]);
    expect(network.done).toEqual([2]);
    network.take(10);
    expect(network.seen()).toEqual(["1 part 1"]);
    expect(network.done).toEqual([2, 1]);
    expect(network.sender.waiting).toBe(0);
  });

  test("large ones take turns", () => {
    const network = new Network();
    network.request(1, 4 * PART_BYTES);
    network.request(2, 2 * PART_BYTES);
    for (let i = 0; i < 5; i += 1) {
      network.take();
    }
    expect(network.seen().map((frame) => frame.slice(0, 6))).toEqual([
      "1 requ",
      "1 part",
      // It was in line before the other one came.
      "1 part",
      "2 requ",
      "1 part",
      "2 part",
    ]);
  });

  test("a dropped one is not sent further, and says whether the other side knows of it", () => {
    const network = new Network();
    network.request(1, 9 * PART_BYTES);
    network.request(2, 9 * PART_BYTES);
    network.seen();
    expect(network.sender.drop(2)).toBe(true);
    expect(network.sender.drop(1)).toBe(false);
    expect(network.sender.drop(7)).toBe(false);
    network.take(10);
    expect(network.seen()).toEqual([]);
    expect(network.done).toEqual([2, 1]);
  });

  test("after its end nothing is sent", () => {
    const network = new Network();
    network.request(1, 9 * PART_BYTES);
    network.seen();
    network.sender.close();
    network.request(2, 9 * PART_BYTES);
    network.request(3, 1);
    network.take(10);
    expect(network.seen()).toEqual([]);
    expect(network.done).toEqual([1, 2, 3]);
  });
});
