import { expect, test } from "vitest";
import { TunnelClaims } from "../../../../main/cluster/tunnel/tunnel-claims.js";
import type { TunnelRequest } from "../../../../main/peers/agent/tunnel-request.js";

function orders(
  tunnels: readonly [port: number, deviceId: string, ...addresses: string[]][],
  admissions: readonly [deviceId: string, port: number][] = [],
): TunnelRequest {
  return {
    tunnels: tunnels.map(([port, deviceId, ...agentAddresses]) => ({ port, deviceId, agentAddresses })),
    admissions: admissions.map(([deviceId, port]) => ({ deviceId, port })),
  };
}

test("owners that want the same share it, with the addresses of both", () => {
  const claims = new TunnelClaims("here");
  claims.set("first", orders([[2222, "pi", "a:1", "b:1"]]));
  claims.set("second", orders([[2222, "pi", "b:1", "c:1"]]));
  const agreed = claims.agreed();
  expect([...agreed.values()]).toEqual([
    { port: 2222, deviceId: "pi", agentAddresses: ["a:1", "b:1", "c:1"], owners: ["first", "second"] },
  ]);
  expect(claims.lost("first", agreed)).toEqual([]);
  expect(claims.lost("second", agreed)).toEqual([]);
});

test("the owner that asked first keeps a port, also after it asked for something else beside it", () => {
  const claims = new TunnelClaims("here");
  claims.set("first", orders([[2222, "pi"]]));
  claims.set(
    "second",
    orders([
      [2222, "gpu"],
      [2223, "gpu"],
    ]),
  );
  claims.set(
    "first",
    orders([
      [2222, "pi"],
      [2224, "pi"],
    ]),
  );
  const agreed = claims.agreed();
  expect([...agreed.values()].map(({ port, deviceId }) => [port, deviceId])).toEqual([
    [2222, "pi"],
    [2224, "pi"],
    [2223, "gpu"],
  ]);
  expect(claims.lost("second", agreed)).toEqual([2222]);

  expect(claims.delete("first")).toBe(true);
  expect(claims.agreed().get(2222)).toMatchObject({ deviceId: "gpu", owners: ["second"] });
  expect(claims.delete("first")).toBe(false);
});

test("a port belongs to this machine's own cluster, even if another owner claimed it first", () => {
  const claims = new TunnelClaims("here");
  claims.set("first", orders([[2222, "pi"]]));
  claims.set("here", orders([[2222, "gpu"]]));
  expect(claims.agreed().get(2222)).toMatchObject({ deviceId: "gpu", owners: ["here"] });
  expect(claims.lost("first", claims.agreed())).toEqual([2222]);
});

test("a machine is vouched for by any owner, for the ports that were named", () => {
  const claims = new TunnelClaims("here");
  claims.set("first", orders([], [["pi", 2222]]));
  claims.set("second", orders([], [["pi", 2223]]));
  expect([2222, 2223, 2224].map((port) => claims.vouchersFor("pi", port))).toEqual([
    ["first"],
    ["second"],
    [],
  ]);
  expect([claims.admitsAnywhere("pi"), claims.admitsAnywhere("gpu")]).toEqual([true, false]);
  claims.delete("first");
  expect(claims.vouchersFor("pi", 2222)).toEqual([]);
});
