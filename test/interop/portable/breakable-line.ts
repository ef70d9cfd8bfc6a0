/** A way to a server that can be cut, as a cable can. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface BreakableLine {
  /** "grpc://host:port" of this end. */
  readonly target: string;
  /**
   * Breaks what is connected; whoever connects after that is cut off, too.
   * @returns resolves when somebody connects while it is cut, who has noticed it then.
   */
  cut(): Promise<void>;
  /** Lets new connections through again. */
  mend(): void;
  /** Cuts it for good. */
  close(): void;
}

/** @param target "grpc://host:port" of the server. */
export async function breakableLine(target: string): Promise<BreakableLine> {
  const [host = "", port = ""] = target.replace("grpc://", "").split(":");
  const sockets = new Set<Socket>();
  let isCut = false;
  const refusals: (() => void)[] = [];
  const server = createServer((near) => {
    near.on("error", () => undefined);
    if (isCut) {
      near.destroy();
      for (const noticed of refusals.splice(0)) {
        noticed();
      }
      return;
    }
    const far = connect(Number(port), host);
    far.on("error", () => undefined);
    sockets.add(near).add(far);
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): Promise<void> => {
    isCut = true;
    for (const socket of sockets) {
      socket.destroy();
    }
    sockets.clear();
    return new Promise((resolve) => refusals.push(resolve));
  };
  return {
    target: `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false;
    },
    close: () => {
      server.close();
      void cut();
    },
  };
}
