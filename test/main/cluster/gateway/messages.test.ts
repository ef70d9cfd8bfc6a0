/** The parts of a message that the gateway changes, and those that it leaves alone. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { type GatewayCluster, masterAddress } from "../../../../main/cluster/gateway/gateway-cluster.js";
import { sessionHandle, withCluster } from "../../../../main/cluster/gateway/messages.js";
import { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import {
  CreateSessionRequest,
  ListDevicesRequest,
  RunStepRequest,
} from "../../../../protos/generated/tensorflow/master.js";
import { ClusterSpec } from "../../../../worker-runtime/cluster/cluster-spec.js";

function clusterOf(jobs: Record<string, string[] | Record<number, string>>): GatewayCluster {
  return { clusterDef: ClusterSpec.from(jobs).asClusterDef(), isPropagated: true };
}

const cluster = clusterOf({ ps: ["127.0.0.1:1"], worker: ["127.0.0.1:2", "127.0.0.1:3"] });

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([frame, message]);
}

function created(body: Buffer): CreateSessionRequest {
  expect(body.readUInt32BE(1)).toBe(body.byteLength - 5);
  return CreateSessionRequest.decode(body.subarray(5));
}

describe("a CreateSession", () => {
  it("gets the cluster, and keeps what the script asked for", () => {
    const request = CreateSessionRequest.fromPartial({
      graphDef: { node: [{ name: "a", op: "Const" }] },
      config: { allowSoftPlacement: true, experimental: { executorType: "SINGLE_THREADED_EXECUTOR" } },
      target: "127.0.0.1:2300",
    });
    const passed = created(
      withCluster(framed(CreateSessionRequest.encode(request).finish()), cluster, "127.0.0.1:2"),
    );
    expect(passed.graphDef).toEqual(request.graphDef);
    expect(passed.target).toBe("127.0.0.1:2");
    expect(passed.config?.clusterDef).toMatchObject(cluster.clusterDef);
    expect(passed.config?.allowSoftPlacement).toBe(true);
    expect(passed.config?.experimental?.executorType).toBe("SINGLE_THREADED_EXECUTOR");
    expect(passed.config?.experimental?.shareSessionStateInClusterspecPropagation).toBe(true);
  });

  it("without any config gets one", () => {
    const passed = created(withCluster(framed(new Uint8Array(0)), cluster, "127.0.0.1:2"));
    expect(passed.config?.clusterDef).toMatchObject(cluster.clusterDef);
  });

  it("keeps fields that no version knew so far, and a config in several parts", () => {
    const unknown = new BinaryWriter().tag(99, WireType.LengthDelimited).string("from the future").finish();
    const number = new BinaryWriter().tag(98, WireType.Varint).uint64(7).finish();
    const part = (config: Uint8Array) =>
      new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(config).finish();
    const soft = ConfigProto.encode(ConfigProto.fromPartial({ allowSoftPlacement: true })).finish();
    const logs = ConfigProto.encode(ConfigProto.fromPartial({ logDevicePlacement: true })).finish();
    const message = Buffer.concat([unknown, part(Buffer.concat([soft, unknown])), number, part(logs)]);
    const body = withCluster(framed(message), cluster, "127.0.0.1:2");
    const passed = created(body);
    expect(passed.config).toMatchObject({ allowSoftPlacement: true, logDevicePlacement: true });
    expect(body.toString("latin1").match(/from the future/g)).toHaveLength(2);
    expect(body.includes(Buffer.from(number))).toBe(true);
  });

  it("that brings its own cluster is passed on byte by byte", () => {
    const config = { clusterDef: ClusterSpec.from({ local: ["127.0.0.1:9"] }).asClusterDef() };
    const body = framed(CreateSessionRequest.encode(CreateSessionRequest.fromPartial({ config })).finish());
    expect(withCluster(body, cluster, "127.0.0.1:2")).toBe(body);
  });

  it("that is cut off or no message at all is refused", () => {
    expect(() => withCluster(Buffer.from([0, 0, 0, 0, 9, 1]), cluster, "127.0.0.1:2")).toThrow(
      /not complete/,
    );
    expect(() => withCluster(framed(Buffer.from([0x12, 0x7f])), cluster, "127.0.0.1:2")).toThrow();
  });
});

describe("the handle of a session", () => {
  it("is read from the beginning of a body", () => {
    const request = RunStepRequest.fromPartial({ sessionHandle: "a1b2", fetch: ["x".repeat(1000)] });
    const body = framed(RunStepRequest.encode(request).finish());
    expect(sessionHandle(body.subarray(0, 100))).toBe("a1b2");
  });

  it("is absent if there is none", () => {
    expect(
      sessionHandle(framed(ListDevicesRequest.encode(ListDevicesRequest.fromPartial({})).finish())),
    ).toBe(undefined);
    expect(sessionHandle(Buffer.from([1, 0, 0, 0, 2, 10, 0]))).toBe(undefined);
    expect(sessionHandle(Buffer.from([0, 0, 0, 0, 9, 10, 200]))).toBe(undefined);
  });
});

describe("the master of new sessions", () => {
  it.each([
    [{ ps: ["a:1"], worker: ["b:1", "c:1"] }, "b:1"],
    [{ worker: { 3: "d:1", 2: "c:1" } }, "c:1"],
    [{ ps: ["a:1"], trainer: ["b:1"] }, "b:1"],
    [{ ps: ["a:1"] }, "a:1"],
    [{}, undefined],
  ])("of %j is at %s", (jobs: Record<string, string[] | Record<number, string>>, address) => {
    expect(masterAddress(clusterOf(jobs))).toBe(address);
  });

  it("is the one that was chosen while it is there", () => {
    expect(masterAddress({ ...cluster, master: { job: "worker", index: 1 } })).toBe("127.0.0.1:3");
    expect(masterAddress({ ...cluster, master: { job: "worker", index: 7 } })).toBe("127.0.0.1:2");
  });
});
