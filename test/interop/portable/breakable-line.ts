/** A way to a server that can be cut, as a cable can. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface BreakableLine {
  /** "grpc://host:port" of this end. */
  readonly target: string;
  /** Breaks what is connected; whoever connects after that is cut off, too. */
  cut(): void;
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
  const server = createServer((near) => {
    near.on("error", () => undefined);
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), host);
    far.on("error", () => undefined);
    sockets.add(near).add(far);
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) {
      socket.destroy();
    }
    sockets.clear();
  };
  return {
    target: `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false;
    },
    close: () => {
      server.close();
      cut();
    },
  };
}
