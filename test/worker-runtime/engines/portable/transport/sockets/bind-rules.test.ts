import { describe, expect, test } from "vitest";
import {
  type BindEnvironment,
  type BindWishes,
  planBinding,
} from "../../../../../../worker-runtime/engines/portable/transport/sockets/bind-rules.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";

const names: Readonly<Record<string, readonly string[]>> = {
  "192.168.1.20": ["192.168.1.20"],
  "fd00::20": ["fd00::20"],
  alpha: ["192.168.1.20", "fd00::20", "10.0.0.9"],
  debian: ["127.0.1.1"],
  beta: ["192.168.1.21"],
};

const machine: BindEnvironment = {
  resolve: async (host) => {
    const addresses = names[host];
    if (addresses === undefined) {
      throw new Error("getaddrinfo ENOTFOUND");
    }
    return addresses;
  },
  ownAddresses: () => new Set(["127.0.0.1", "::1", "192.168.1.20", "fd00::20"]),
};

const plan = (host: string, more: Partial<BindWishes> = {}) =>
  planBinding({ host, checkAddress: true, ...more }, machine);

describe("where a task listens", () => {
  test.each(["localhost", "LOCALHOST", "worker0.localhost"])(
    "%s: on loopback of both kinds",
    async (host) => {
      expect(await plan(host)).toEqual({ required: ["127.0.0.1"], optional: ["::1"], isOpen: false });
    },
  );

  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.2", "127.0.0.2"],
    ["::1", "::1"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
  ])("%s: on %s alone", async (host, address) => {
    expect(await plan(host)).toEqual({ required: [address], optional: [], isOpen: false });
  });

  test("an address of this machine: there, and on loopback", async () => {
    expect(await plan("192.168.1.20")).toEqual({
      required: ["192.168.1.20"],
      optional: ["127.0.0.1", "::1"],
      isOpen: true,
    });
    expect((await plan("alpha")).required).toEqual(["192.168.1.20", "fd00::20"]);
  });

  test.each(["0.0.0.0", "::"])("%s: everywhere", async (host) => {
    expect(await plan(host)).toEqual({ required: [host], optional: [], isOpen: true });
  });

  test("a name of this machine that leads to loopback: everywhere, as others dial another address", async () => {
    expect((await plan("debian")).required).toEqual(["::"]);
  });

  test("an address of another machine is refused, unless it is not to be asked", async () => {
    await expect(plan("beta")).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: expect.stringContaining("--skip_address_check"),
    });
    expect(await plan("beta", { checkAddress: false })).toMatchObject({ required: ["::"], isOpen: true });
    expect((await plan("alpha", { checkAddress: false })).required).toEqual(["192.168.1.20", "fd00::20"]);
  });

  test("a name that leads nowhere", async () => {
    await expect(plan("nowhere")).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    expect((await plan("nowhere", { checkAddress: false })).required).toEqual(["::"]);
  });

  test("--bind says otherwise", async () => {
    expect(await plan("beta", { bind: "127.0.0.1" })).toMatchObject({
      required: ["127.0.0.1"],
      isOpen: false,
    });
    expect(await plan("localhost", { bind: "0.0.0.0" })).toMatchObject({
      required: ["0.0.0.0"],
      isOpen: true,
    });
    expect(await plan("localhost", { bind: "alpha" })).toMatchObject({ isOpen: true });
    await expect(plan("localhost", { bind: "nowhere" })).rejects.toMatchObject({
      code: StatusCode.UNAVAILABLE,
    });
  });
});
