import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { deviceIdOf } from "../../../../main/machine/device-id.js";
import { probeAddress } from "../../../../main/network/reachability/probe.js";
import { makeCertificate } from "../../../../main/peers/identity/certificate.js";
import { listen, outcomes, probeTask } from "./support/servers.js";

describe("the probe of an agent's address", () => {
  test("gives the device ID of the certificate", async () => {
    const { certPem: cert, keyPem: key } = await makeCertificate();
    const { port } = await listen(
      createTlsServer({ cert, key, requestCert: true, rejectUnauthorized: false }),
    );
    const layers = await probeAddress({ address: `127.0.0.1:${port}`, kind: "agent" });
    expect(outcomes(layers)).toBe("name skipped, tcp ok, tls ok");
    const der = Buffer.from(cert.replace(/-----[^-]+-----/g, ""), "base64");
    expect(layers.at(-1)?.detail).toBe(deviceIdOf(der));
  });

  test("tells another program", async () => {
    const { port } = await listen(createHttpServer());
    expect(outcomes(await probeAddress({ address: `127.0.0.1:${port}`, kind: "agent" }))).toBe(
      "name skipped, tcp ok, tls other-protocol",
    );
  });

  test("tells one that says nothing, and one that hangs up", async () => {
    const silent = await listen(createServer());
    const rude = await listen(createServer((socket) => socket.end()));
    const [first, second] = await Promise.all(
      [silent, rude].map(({ port }) => probeAddress({ address: `127.0.0.1:${port}`, kind: "agent" })),
    );
    expect(outcomes(first ?? [])).toBe("name skipped, tcp ok, tls timed-out");
    expect(outcomes(second ?? [])).toBe("name skipped, tcp ok, tls closed");
  });

  test("is no task's: it speaks TLS", async () => {
    const { certPem: cert, keyPem: key } = await makeCertificate();
    const { port } = await listen(createTlsServer({ cert, key }));
    expect(await probeTask(`127.0.0.1:${port}`)).toMatch(
      /^name skipped, tcp ok, http2 (tls|closed), status skipped$/,
    );
  });
});
