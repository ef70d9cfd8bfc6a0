import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MadeCertificate, makeCertificate } from "../../../../../../main/peers/identity/certificate.js";
import { WorkerServiceDefinition } from "../../../../../../protos/generated/tensorflow/worker_service.js";
import { defaultLimits } from "../../../../../../worker-runtime/engines/portable/transport/grpc/call-limits.js";
import { GrpcEndpoint } from "../../../../../../worker-runtime/engines/portable/transport/grpc/grpc-endpoint.js";
import { streamTransport } from "../../../../../../worker-runtime/engines/portable/transport/peer-transport.js";
import { GrpcListener } from "../../../../../../worker-runtime/engines/portable/transport/sockets/grpc-listener.js";
import { PeerTrust } from "../../../../../../worker-runtime/engines/portable/transport/sockets/peer-trust.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { LocalCluster } from "../../worker/worker-fixture.js";

const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-tls-test-"));
const cluster = new LocalCluster(1);
let endpoint: GrpcEndpoint;
let port: number;
let own: MadeCertificate;
let peer: MadeCertificate;
let untrusted: MadeCertificate;
/** Node's warnings: each deprecation once in a process. */
const warnings: string[] = [];
const keep = (warning: Error): void => {
  warnings.push(warning.message);
};

const trustOf = (of: MadeCertificate, ...peers: MadeCertificate[]): PeerTrust =>
  new PeerTrust(of.certPem, of.keyPem, peers.map(({ certPem }) => certPem).join("\n"));

beforeAll(async () => {
  process.on("warning", keep);
  [own, peer, untrusted] = await Promise.all([makeCertificate(), makeCertificate(), makeCertificate()]);
  const plan = { required: ["127.0.0.1"], optional: [], isOpen: false };
  const listener = await GrpcListener.open(plan, 0, trustOf(own, own, peer));
  port = listener.port;
  endpoint = new GrpcEndpoint(listener, defaultLimits());
  endpoint.offer(WorkerServiceDefinition, cluster.worker(0));
  endpoint.offerStream(WorkerServiceDefinition, cluster.worker(0));
  endpoint.open();
});

afterAll(() => {
  process.off("warning", keep);
  endpoint.close();
  cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks with this trust, or without TLS. */
async function ask(trust: PeerTrust | undefined): Promise<number> {
  const { worker, close } = streamTransport({ trust }).connect(`127.0.0.1:${port}`);
  try {
    return (await worker.getStatus({}, { deadlineMillis: 10_000 })).deviceAttributes.length;
  } finally {
    close();
  }
}

describe("mutual TLS between tasks", () => {
  test("peers are answered", async () => {
    expect(await ask(trustOf(peer, untrusted, own))).toBe(1);
    // An IP address as a server's name is deprecated in TLS.
    expect(warnings).toEqual([]);
  });

  test("who shows another certificate is not answered", async () => {
    await expect(ask(trustOf(untrusted, own))).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    expect(await ask(trustOf(peer, untrusted, own))).toBe(1);
  });

  test("who is shown another certificate than it expects does not call", async () => {
    await expect(ask(trustOf(peer, untrusted))).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  });

  test("who speaks plainly is not answered", async () => {
    await expect(ask(undefined)).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    expect(await ask(trustOf(peer, untrusted, own))).toBe(1);
  });

  test("files are read, and what is wrong with them is said", async () => {
    const file = (name: string, text: string): string => {
      const file = path.join(folder, name);
      writeFileSync(file, text);
      return file;
    };
    const cert = file("cert.pem", peer.certPem);
    const key = file("key.pem", peer.keyPem);
    expect(await ask(await PeerTrust.read({ cert, key, peers: file("peers.pem", own.certPem) }))).toBe(1);
    await expect(PeerTrust.read({ cert, key, peers: path.join(folder, "none") })).rejects.toMatchObject({
      code: StatusCode.NOT_FOUND,
    });
    await expect(PeerTrust.read({ cert, key, peers: key })).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: expect.stringContaining("no certificate"),
    });
    await expect(
      PeerTrust.read({ cert, key: file("other.pem", own.keyPem), peers: cert }),
    ).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
  });
});
