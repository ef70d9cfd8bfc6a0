/**
 * The parts of bonjour-service's inside that are used are here as bonjour.ts expects them. Where an upgrade of the library
 * fails these tests, bonjour.ts is to be changed with it, and nothing else.
 */
import { EventEmitter } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Bonjour from "bonjour-service";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** A socket that no packet leaves. */
class SilentSocket extends EventEmitter {
  readonly sent: Buffer[] = [];
  bind(...values: readonly unknown[]): this {
    const bound = values.findLast((value) => typeof value === "function");
    queueMicrotask(() => {
      if (bound) (bound as () => void)();
      this.emit("listening");
    });
    return this;
  }
  address() {
    return { address: "127.0.0.1", port: 5353 };
  }
  send(bytes: Buffer, ...values: readonly unknown[]): void {
    this.sent.push(bytes);
    const done = values.findLast((value) => typeof value === "function");
    if (done) queueMicrotask(() => (done as () => void)());
  }
  setMulticastTTL(): void {}
  setMulticastLoopback(): void {}
  setMulticastInterface(): void {}
  addMembership(): void {}
  unref(): void {}
  close(done?: () => void): void {
    this.emit("close");
    done?.();
  }
}

let socket: SilentSocket;
let bonjour: Bonjour;

beforeEach(() => {
  socket = new SilentSocket();
  bonjour = new Bonjour({ socket, loopback: true } as object, (error: Error) => {
    throw error;
  });
});

afterEach(async () => {
  await new Promise<void>((resolve) => bonjour.destroy(resolve));
});

// biome-ignore lint/complexity/useLiteralKeys: a private member can be reached only so
const mdns = () => bonjour["server"].mdns as EventEmitter & Record<string, unknown>;

describe("inside bonjour-service", () => {
  test("is a multicast-dns that tells what comes, sends and asks", () => {
    expect(mdns()).toBeInstanceOf(EventEmitter);
    expect(mdns().send).toBeTypeOf("function");
    expect(mdns().query).toBeTypeOf("function");
  });

  test("one listener answers queries, and one reads the socket, so that each can be taken over", () => {
    expect(mdns().listenerCount("query")).toBe(1);
    expect(socket.listenerCount("message")).toBe(1);
  });

  test("everything that is published and asked goes through send, which may be replaced", async () => {
    const sent: unknown[] = [];
    mdns().send = (packet: unknown, _to: unknown, done?: () => void) => {
      sent.push(packet);
      done?.();
    };
    bonjour.find({ type: "tensordeck" });
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    const asked = sent.length;
    bonjour.publish({ name: "one", type: "tensordeck", port: 1, probe: false });
    await expect.poll(() => sent.length).toBeGreaterThan(asked);
    expect(socket.sent).toEqual([]);
  });

  test("is reached into by bonjour.ts alone", () => {
    const folder = fileURLToPath(new URL("../../../../main/peers/discovery", import.meta.url));
    const others = readdirSync(folder).filter((file) => file !== "bonjour.ts");
    for (const file of others) {
      const text = readFileSync(join(folder, file), "utf8");
      expect(text, file).not.toMatch(/multicast-dns["']|\["server"\]|\.mdns\b|new Bonjour\(|import Bonjour/);
    }
  });
});
