import { createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { Client, credentials, Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { grpcTarget } from "../../../worker-runtime/rpc/grpc-target.js";
import { connectHttp2 } from "../../../worker-runtime/rpc/http2-connection.js";

const loopback = Object.entries(networkInterfaces()).find(([, infos]) =>
  infos?.some(({ address }) => address === "::1"),
)?.[0];

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

test.each(["eth0", "br-lan", "enp3s0.100", "12"])("an address in the zone %s is host and port", (zone) => {
  expect(parseHostPort(`[fe80::1%${zone}]:2220`)).toEqual({ host: `fe80::1%${zone}`, port: 2220 });
});

/** The loopback interface stands for one that has link-local addresses, which not every machine has. */
describe.skipIf(loopback === undefined)("an address with a zone", () => {
  const host = `::1%${loopback}`;

  test("is dialled by grpc-js", async () => {
    const server = new Server();
    const path = "/test.Echo/Say";
    const bytes = (value: Buffer) => value;
    const definition = {
      ...{ path, requestStream: false, responseStream: false },
      ...{
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      },
    };
    let authority = "";
    server.addService(
      { say: definition },
      {
        say: (call: { request: Buffer; getHost(): string }, done: (error: null, value: Buffer) => void) => {
          authority = call.getHost();
          done(null, call.request);
        },
      },
    );
    ends.push(() => server.forceShutdown());
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("[::1]:0", ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const client = new Client(grpcTarget(`[${host}]:${port}`), credentials.createInsecure());
    ends.push(() => client.close());
    const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
      client.makeUnaryRequest(path, bytes, bytes, Buffer.from("hello"), new Metadata(), (error, value) =>
        error ? reject(error) : resolve(value),
      );
    });
    expect(String(answer)).toBe("hello");
    expect(authority).toBe(`[::1]:${port}`);
  });

  test("is dialled by HTTP/2", async () => {
    const server: Http2Server = createServer((request, response) =>
      response.end(request.stream.session?.socket.remoteFamily ?? ""),
    );
    ends.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "::1", resolve));
    const { port } = server.address() as AddressInfo;
    const session = connectHttp2(`[${host}]:${port}`);
    ends.push(() => session.destroy());
    const stream = session.request({ ":path": "/" });
    let said = "";
    for await (const part of stream) said += String(part);
    expect(said).toBe("IPv6");
  });
});
