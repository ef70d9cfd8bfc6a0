import { describe, expect, test } from "vitest";
import { FifoStore } from "../../../../../worker-runtime/engines/portable/kernels/state/queues/element-store.js";
import {
  QUEUE,
  Queue,
} from "../../../../../worker-runtime/engines/portable/kernels/state/queues/queue-resource.js";
import {
  type Resource,
  ResourceManager,
} from "../../../../../worker-runtime/engines/portable/resources/resource-manager.js";

class Thing implements Resource {
  readonly typeName: string;
  disposed = 0;

  constructor(typeName = "tensorflow::Thing") {
    this.typeName = typeName;
  }

  dispose(): void {
    this.disposed += 1;
  }
}

describe("resources", () => {
  test("are told apart by container, type and name", () => {
    const manager = new ResourceManager();
    const thing = new Thing();
    manager.create("", "a", thing);
    expect(manager.lookup("localhost", "tensorflow::Thing", "a")).toBe(thing);
    expect(manager.find("other", "tensorflow::Thing", "a")).toBeUndefined();
    expect(manager.find("", "tensorflow::Other", "a")).toBeUndefined();
    expect(() => manager.create("localhost", "a", new Thing())).toThrow("localhost/a/tensorflow::Thing");
    expect(manager.lookupOrCreate("", "tensorflow::Thing", "a", () => new Thing())).toBe(thing);
  });

  test("that are missing are missed in TensorFlow's words", () => {
    const manager = new ResourceManager();
    expect(() => manager.lookup("", "tensorflow::Var", "v")).toThrow(
      "Container localhost does not exist. (Could not find resource: localhost/v)",
    );
    manager.create("", "a", new Thing());
    expect(() => manager.lookup("", "tensorflow::Var", "v")).toThrow(
      "Resource localhost/v/N10tensorflow3VarE does not exist.",
    );
  });

  test("end when they are removed or their container is cleared", async () => {
    const manager = new ResourceManager();
    const things = [new Thing(), new Thing(), new Thing("tensorflow::Other")];
    for (const [i, thing] of things.entries()) {
      manager.create(i === 0 ? "" : "box", "a", thing);
    }
    expect(manager.remove("", "tensorflow::Thing", "a")).toBe(true);
    expect(manager.remove("", "tensorflow::Thing", "a")).toBe(false);
    manager.clear("box");
    expect(things.map(({ disposed }) => disposed)).toEqual([1, 1, 1]);
    const queue = new Queue(
      { kind: "FIFOQueue", name: "q", capacity: 1, componentTypes: ["float32"], shapes: [] },
      new FifoStore(),
    );
    manager.create("", "q", queue);
    const waiting = queue.dequeue(new AbortController().signal);
    manager.clearAll();
    await expect(waiting).rejects.toMatchObject({ codeName: "CANCELLED" });
    expect(manager.find("", QUEUE, "q")).toBeUndefined();
  });

  test("without a shared name are one for each session and go with it", () => {
    const manager = new ResourceManager();
    const queue = { name: "queue", scope: "" };
    const name = manager.privateName("one", "", queue);
    expect(manager.privateName("one", "", { ...queue })).toBe(name);
    expect(manager.privateName("one", "", { ...queue, scope: "f" })).not.toBe(name);
    const other = manager.privateName("two", "", queue);
    expect(other).not.toBe(name);
    const [mine, theirs, shared] = [new Thing(), new Thing(), new Thing()];
    manager.create("", name, mine);
    manager.create("", other, theirs);
    manager.create("", `x/${name}`, shared);
    manager.endSession("one");
    expect([mine, theirs, shared].map(({ disposed }) => disposed)).toEqual([1, 0, 0]);
    expect(manager.find("", "tensorflow::Thing", name)).toBeUndefined();
    manager.endSession("one");
  });
});
