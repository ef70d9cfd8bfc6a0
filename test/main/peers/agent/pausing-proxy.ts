/** A network in between that can be made to swallow everything without a word, as a cable that was pulled does. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class PausingProxy {
  readonly #target: () => number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #paused = false;

  private constructor(target: () => number) {
    this.#target = target;
    this.#server = createServer((near) => this.#carry(near));
  }

  static async start(target: () => number): Promise<PausingProxy> {
    const proxy = new PausingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  pause(): void {
    this.#paused = true;
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#paused = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #carry(near: Socket): void {
    const far = connect(this.#target(), "127.0.0.1");
    const pass = (from: Socket, to: Socket) => {
      this.#sockets.add(from);
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => from.destroy());
      from.once("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#paused) from.pause();
    };
    pass(near, far);
    pass(far, near);
  }
}
