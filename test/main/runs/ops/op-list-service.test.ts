import { describe, expect, it } from "vitest";
import type { Runtime } from "../../../../main/api/runtime.js";
import { bundledOps } from "../../../../main/runs/ops/bundled-ops.js";
import { OpListService } from "../../../../main/runs/ops/op-list-service.js";
import { OpList } from "../../../../protos/generated/tensorflow/op_def.js";

const library = (version: string): Runtime => ({ path: "/lib", origin: "a test", version, gpu: false });

describe("the list of ops", () => {
  it("that Tensordeck knows by itself has the ops of the examples", () => {
    const names = OpList.decode(bundledOps().opList).op.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["AddV2", "Mul", "SplitV", "Sum", "Placeholder", "VarHandleOp"]),
    );
  });

  it("is the library's own where there is one, asked for once for each version", async () => {
    let runtime: Runtime | undefined;
    const asked: string[] = [];
    const ops = new OpListService({
      runtime: async () => runtime,
      ask: async ({ version }) => {
        asked.push(version);
        return new TextEncoder().encode(version);
      },
      bundled: () => ({ source: "bundled", opList: new Uint8Array() }),
    });
    expect((await ops.list()).source).toBe("bundled");
    runtime = library("2.21.0");
    await Promise.all([ops.list(), ops.list()]);
    expect((await ops.list()).source).toBe("TensorFlow 2.21.0, a test");
    runtime = library("2.22.0");
    expect(new TextDecoder().decode((await ops.list()).opList)).toBe("2.22.0");
    expect(asked).toEqual(["2.21.0", "2.22.0"]);
  });

  it("falls back to the bundled one while the library cannot be asked, and tries again", async () => {
    let broken = true;
    const ops = new OpListService({
      runtime: async () => library("1"),
      ask: async () => {
        if (broken) throw new Error("no");
        return new Uint8Array();
      },
      bundled: () => ({ source: "bundled", opList: new Uint8Array() }),
    });
    expect((await ops.list()).source).toBe("bundled");
    broken = false;
    expect((await ops.list()).source).toContain("TensorFlow 1");
  });
});
