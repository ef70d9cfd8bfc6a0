import { createServer, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import { checkOwnHost, checkPortFree, freePort } from "../../../worker-runtime/engines/address-check.js";
import { listeningInodes, parseLsof, portHolder } from "../../../worker-runtime/engines/port-holder.js";
import { pipError } from "../../../worker-runtime/engines/tensorflow/pip.js";
import { StatusCode, TensorFlowError } from "../../../worker-runtime/protocol/status.js";

function listen(host: string): Promise<{ server: Server; port: number }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve({ server, port: typeof address === "object" && address !== null ? address.port : 0 });
    });
  });
}

describe("a port in use", () => {
  test.each(["0.0.0.0", "127.0.0.1"])("by a listener on %s is refused, naming the process", async (host) => {
    const { server, port } = await listen(host);
    try {
      const error = await checkPortFree(port).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TensorFlowError);
      expect((error as TensorFlowError).code).toBe(StatusCode.UNKNOWN);
      expect((error as TensorFlowError).message).toContain(`port ${port} is in use by`);
      expect((await portHolder(port))?.pid).toBe(process.pid);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    await checkPortFree(port);
    expect(await portHolder(port)).toBeUndefined();
  });

  test("a free one can be listened on", async () => {
    await checkPortFree(await freePort());
  });

  test("/proc/net/tcp: only listeners, and only the whole port number", () => {
    const table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
      "   0: 00000000:08AE 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000\n" +
      "   1: 0100007F:08AE 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000\n";
    expect(listeningInodes(table, 2222)).toEqual(["4711"]);
    expect(listeningInodes(table, 174)).toEqual([]);
  });

  test("lsof's lines", () => {
    expect(parseLsof("p4711\ncpython3.12\nf5\n")).toEqual({ pid: 4711, name: "python3.12" });
    expect(parseLsof("")).toBeUndefined();
  });
});

describe("the own address", () => {
  test.each(["localhost", "127.0.0.1", "::1"])("%s is this machine", async (host) => {
    expect(await checkOwnHost(host)).toEqual({ kind: "own" });
  });

  test("an address of another machine is a warning: containers look like that", async () => {
    // 192.0.2.0/24 is set aside for documentation; no machine has it.
    const own = await checkOwnHost("192.0.2.1");
    expect(own.kind).toBe("foreign");
  });
});

describe("what pip's output means", () => {
  test.each([
    [
      "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
      StatusCode.DATA_LOSS,
      "not the one that this version of Tensordeck expects",
    ],
    [
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\nERROR: Could not find a version that satisfies the requirement tensorflow-cpu==2.21.0 (from versions: none)\nERROR: No matching distribution found for tensorflow-cpu==2.21.0",
      StatusCode.UNAVAILABLE,
      "Check the connection",
    ],
    [
      "ERROR: No matching distribution found for tensorflow-cpu==2.21.0",
      StatusCode.NOT_FOUND,
      "package index",
    ],
    [
      "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
      StatusCode.RESOURCE_EXHAUSTED,
      "disk became full",
    ],
    [
      "OSError: [WinError 112] Es steht nicht genug Speicherplatz auf dem Datenträger zur Verfügung",
      StatusCode.RESOURCE_EXHAUSTED,
      "disk became full",
    ],
    ["Traceback\nValueError: odd", StatusCode.UNKNOWN, "ValueError: odd"],
  ])("%#", (output, code, text) => {
    const error = pipError(output);
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });
});
