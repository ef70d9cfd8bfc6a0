import { describe, expect, it } from "vitest";
import { TensorStore } from "../../../../main/runs/tensors/tensor-store.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

const bytes = (count: number) => Tensor.of(new Uint8Array(count));

describe("the kept tensors", () => {
  it("are those of the newest step of each run", async () => {
    const store = new TensorStore();
    store.set("a", 1, [{ name: "x:0", tensor: bytes(1) }]);
    store.set("a", 2, [{ name: "y:0", tensor: bytes(2) }]);
    store.set("b", 1, [{ name: "x:0", tensor: bytes(3) }]);
    expect(await store.describe({ runId: "a", name: "y:0" })).toMatchObject({
      step: 2,
      byteLength: 2,
      shape: [2],
    });
    expect(await store.describe({ runId: "b", name: "x:0" })).toMatchObject({ step: 1, byteLength: 3 });
    expect(() => store.get({ runId: "a", name: "x:0" })).toThrow("There is no result x:0.");
  });

  it("make room for those of later runs, the oldest first", () => {
    const store = new TensorStore(10);
    store.set("a", 1, [{ name: "x:0", tensor: bytes(4) }]);
    store.set("b", 1, [{ name: "x:0", tensor: bytes(4) }]);
    // A step of the older run makes it the newer one.
    store.set("a", 2, [{ name: "x:0", tensor: bytes(4) }]);
    store.set("c", 1, [{ name: "x:0", tensor: bytes(4) }]);
    expect(() => store.get({ runId: "b", name: "x:0" })).toThrow("no longer kept");
    expect(store.get({ runId: "a", name: "x:0" }).step).toBe(2);
    store.set("d", 1, [{ name: "x:0", tensor: bytes(10) }]);
    for (const runId of ["a", "c"]) expect(() => store.get({ runId, name: "x:0" })).toThrow("no longer kept");
  });

  it("leave the largest out if a run has too many", () => {
    const store = new TensorStore(10);
    store.set("a", 1, [
      { name: "large:0", tensor: bytes(9) },
      { name: "small:0", tensor: bytes(2) },
    ]);
    expect(store.get({ runId: "a", name: "small:0" }).tensor.size).toBe(2);
    expect(() => store.get({ runId: "a", name: "large:0" })).toThrow("too large to be viewed as a whole");
  });

  it("are read again if they made room, or are of before, as far as they are on disk", async () => {
    const asked: string[] = [];
    const store = new TensorStore(10, async (runId) => {
      asked.push(runId);
      return runId === "a"
        ? { step: 3, tensors: [{ name: "x:0", tensor: bytes(4) }], left: ["large:0"] }
        : undefined;
    });
    expect(await store.find({ runId: "a", name: "x:0" })).toMatchObject({ step: 3 });
    expect(() => store.find({ runId: "a", name: "large:0" })).toThrow("too large to be viewed");
    expect(asked).toEqual(["a"]);
    store.set("b", 1, [{ name: "x:0", tensor: bytes(8) }]);
    expect((await store.find({ runId: "a", name: "x:0" })).tensor.size).toBe(4);
    await expect(store.find({ runId: "gone", name: "x:0" })).rejects.toThrow("no longer kept");
  });
});
