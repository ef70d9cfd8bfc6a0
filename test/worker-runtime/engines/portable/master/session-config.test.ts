import { expect, test } from "vitest";
import { ConfigProto } from "../../../../../protos/generated/tensorflow/config.js";
import { sessionConfig } from "../../../../../worker-runtime/engines/portable/master/session-config.js";

test("what the client asks for lies on top of the server's default, as protobuf merges messages", () => {
  const server = ConfigProto.fromPartial({
    allowSoftPlacement: true,
    intraOpParallelismThreads: 2,
    deviceFilters: ["/job:ps"],
    deviceCount: new Map([["CPU", 2]]),
    graphOptions: { buildCostModel: 3n, optimizerOptions: { doFunctionInlining: true } },
  });
  const client = ConfigProto.fromPartial({
    intraOpParallelismThreads: 4,
    deviceFilters: ["/job:worker"],
    deviceCount: new Map([["GPU", 0]]),
    graphOptions: { inferShapes: true, optimizerOptions: { optLevel: -1 } },
  });
  const merged = sessionConfig(server, client);
  expect(merged).toMatchObject({
    allowSoftPlacement: true,
    intraOpParallelismThreads: 4,
    deviceFilters: ["/job:ps", "/job:worker"],
    graphOptions: {
      buildCostModel: 3n,
      inferShapes: true,
      optimizerOptions: { doFunctionInlining: true, optLevel: -1 },
    },
  });
  expect(merged.deviceCount).toEqual(
    new Map([
      ["CPU", 2],
      ["GPU", 0],
    ]),
  );
});

test("either may be missing", () => {
  const config = ConfigProto.fromPartial({ allowSoftPlacement: true });
  expect(sessionConfig(config, undefined)).toBe(config);
  expect(sessionConfig(undefined, config)).toBe(config);
  expect(sessionConfig(undefined, undefined).allowSoftPlacement).toBe(false);
});
