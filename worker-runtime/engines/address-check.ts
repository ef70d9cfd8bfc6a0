import { lookup } from "node:dns/promises";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { isLinkLocalIpv6, isLoopback } from "../cluster/host.js";
import { invalidArgument, StatusCode, TensorFlowError, unavailable } from "../protocol/status.js";
import { portInUseText } from "./port-holder.js";

const LOOKUP_DEADLINE_MILLIS = 3_000;

/**
 * Tries to listen on a port as TensorFlow will, on all addresses, and lets go of it.
 * @throws TensorFlowError UNKNOWN, TensorFlow's own code for it, naming the process that has the port;
 *   PERMISSION_DENIED for a port that this user may not listen on.
 */
export async function checkPortFree(port: number): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    throw await listenError(error, port);
  }
}

/**
 * Why a port could not be listened on, as an error for the user: UNKNOWN, TensorFlow's own code for a port in use, naming
 * the process that has it; PERMISSION_DENIED for a port that this user may not listen on; otherwise the error itself.
 */
export async function listenError(error: unknown, port: number): Promise<unknown> {
  switch (errorCode(error)) {
    case "EADDRINUSE":
      return new TensorFlowError(
        StatusCode.UNKNOWN,
        `Could not start gRPC server: ${await portInUseText(port)}. End that program, or give this task another port.`,
        { cause: error },
      );
    case "EACCES":
      return new TensorFlowError(
        StatusCode.PERMISSION_DENIED,
        `Could not start gRPC server: this user may not listen on port ${port}. Use a port from 1024 up` +
          `${process.platform === "win32" ? " that Windows does not reserve (`netsh int ipv4 show excludedportrange tcp`)" : ""}.`,
        { cause: error },
      );
    default:
      return error;
  }
}

/** A port that is currently free. */
export async function freePort(): Promise<number> {
  return await listenOnce(0);
}

/** Listens on all addresses and closes again; gives the port. */
function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      // Without IPv6 the wildcard is IPv4's.
      if (errorCode(error) === "EAFNOSUPPORT" || errorCode(error) === "EADDRNOTAVAIL") {
        listenOn(createServer(), port, "0.0.0.0").then(resolve, reject);
      } else {
        reject(error);
      }
    });
    // "::" takes IPv4 as well, as gRPC's server does; a listener on 127.0.0.1 alone is found by the second try.
    server.listen({ port, host: "::", exclusive: true }, () => {
      const address = server.address();
      const bound = address !== null && typeof address === "object" ? address.port : port;
      server.close(() => {
        listenOn(createServer(), bound, "127.0.0.1").then(resolve, reject);
      });
    });
  });
}

function listenOn(server: ReturnType<typeof createServer>, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = address !== null && typeof address === "object" ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

export type OwnHost =
  | { readonly kind: "own" }
  /** The name leads to another machine as far as this one can tell: containers and NAT look like that, too. */
  | { readonly kind: "foreign"; readonly warning: string }
  | { readonly kind: "unknown"; readonly warning: string };

/**
 * Whether the host that the ClusterSpec gives this task is this machine: the other tasks will dial it.
 * @throws TensorFlowError UNAVAILABLE when the name leads nowhere: no other task could reach this one.
 */
export async function checkOwnHost(host: string): Promise<OwnHost> {
  if (host === "") {
    throw invalidArgument("This task's address in the ClusterSpec has no host.");
  }
  let addresses: string[];
  try {
    addresses = await withDeadline(resolve(host));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTFOUND") {
      throw unavailable(
        `The ClusterSpec gives this task the host ${host}, a name that leads to no address on this machine. ` +
          "Give its IP address, add the name to the hosts file or the DNS, or start with --skip_address_check.",
        { cause: error },
      );
    }
    return {
      kind: "unknown",
      warning: `Could not find out whether ${host} is this machine (${code ?? "no answer"}); going on.`,
    };
  }
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
  );
  if (addresses.some((address) => own.has(withoutZone(address)) || isLoopback(address))) {
    return { kind: "own" };
  }
  const mine = [...own].filter((address) => !isLoopback(address) && !isLinkLocalIpv6(address));
  return {
    kind: "foreign",
    warning:
      `The ClusterSpec gives this task the address ${host} (${addresses.join(", ")}), which is not one of this machine ` +
      `(${mine.join(", ") || "it has only loopback"}). That is right in a container or behind NAT; ` +
      "otherwise the other tasks will dial another machine.",
  };
}

async function resolve(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function withDeadline<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolveWork, reject) => {
    const timer = setTimeout(() => reject(new Error("deadline")), LOOKUP_DEADLINE_MILLIS);
    work.then(resolveWork, reject).finally(() => clearTimeout(timer));
  });
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
