import { constants } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Identity, loadIdentity } from "../../../../main/peers/identity/identity.js";
import { cipherOrder, orderOf } from "../../../../main/peers/port/cipher-order.js";
import { secureContextOptions } from "../../../../main/peers/port/tls-options.js";

let folder: string;
let identity: Identity;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-ciphers-"));
  identity = await loadIdentity(folder);
});
afterAll(() => rm(folder, { recursive: true }));

test("the cipher that is faster by far comes first, and AES in doubt", () => {
  expect(orderOf(1, 3)).toMatch(/^TLS_AES_128_GCM_SHA256:/);
  expect(orderOf(1, 0.9)).toMatch(/^TLS_AES_128_GCM_SHA256:/);
  expect(orderOf(3, 1)).toMatch(/^TLS_CHACHA20_POLY1305_SHA256:/);
  expect(orderOf(undefined, 1)).toMatch(/^TLS_AES_128_GCM_SHA256:/);
  expect(cipherOrder().split(":")).toHaveLength(3);
});

test.each([
  ["both have AES", orderOf(1, 3), orderOf(1, 3), "TLS_AES_128_GCM_SHA256"],
  ["the caller has none", orderOf(3, 1), orderOf(1, 3), "TLS_CHACHA20_POLY1305_SHA256"],
  ["the other machine has none", orderOf(1, 3), orderOf(3, 1), "TLS_CHACHA20_POLY1305_SHA256"],
])("a connection uses the cipher that suits the weaker machine: %s", async (_, caller, called, cipher) => {
  const options = secureContextOptions(identity);
  expect(Number(options.secureOptions) & constants.SSL_OP_PRIORITIZE_CHACHA).not.toBe(0);
  const server = createServer({ ...options, ciphers: called }, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const chosen = await new Promise<string>((resolve, reject) => {
    const socket = connect(
      { ...options, port, host: "127.0.0.1", ciphers: caller, rejectUnauthorized: false },
      () => {
        resolve(socket.getCipher().standardName);
        socket.destroy();
      },
    );
    socket.once("error", reject);
  });
  expect(chosen).toBe(cipher);
  server.close();
});
