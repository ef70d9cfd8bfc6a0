import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  isOfVariable,
  lastingValue,
  ReferenceVariable,
} from "../../../../../worker-runtime/engines/portable/resources/reference-variable.js";
import { ResourceVariable } from "../../../../../worker-runtime/engines/portable/resources/resource-variable.js";
import { alone } from "../../../../../worker-runtime/engines/portable/resources/variable.js";
import { cancelled } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

const waiter = new AbortController();

/** Something that a test ends when it is time. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a resource variable", () => {
  const make = () => new ResourceVariable({ dtype: "float32", name: "v" });

  test("never changes an array that somebody else may have", () => {
    const variable = make();
    const assigned = Tensor.of([1, 2], "float32");
    variable.assign(assigned);
    const own = variable.writable();
    expect(own?.data).not.toBe(assigned.data);
    const read = variable.value;
    expect(read?.data).toBe(own?.data);
    expect(variable.writable()?.data).not.toBe(read?.data);
  });

  test("keeps its array from update to update while nobody reads it", () => {
    const variable = make();
    variable.assign(Tensor.of([1, 2], "float32"));
    const first = variable.writable();
    expect(variable.peek(({ shape }) => shape)).toEqual([2]);
    expect(variable.shape).toEqual([2]);
    expect(variable.writable()?.data).toBe(first?.data);
  });

  test("has no value at first", () => {
    const variable = make();
    expect(variable.initialized).toBe(false);
    expect(variable.value).toBeUndefined();
    expect(variable.writable()).toBeUndefined();
    expect(variable.peek(() => 1)).toBeUndefined();
    expect(variable.shape).toBeUndefined();
  });
});

describe("a reference variable", () => {
  const make = (value: Tensor) => {
    const variable = new ReferenceVariable({ dtype: value.dtype, name: "v" });
    variable.assign(value);
    return variable;
  };
  const write = (variable: ReferenceVariable, value: number) => {
    const { data } = variable.writable() as Tensor;
    (data as Float32Array).fill(value);
  };

  test("changes what was read of it, whatever its shape is by then", () => {
    const variable = make(Tensor.of([1, 2], "float32"));
    const read = variable.value?.reshape([2, 1]);
    write(variable, 5);
    expect(read?.toArray()).toEqual([[5], [5]]);
    variable.assign(Tensor.of([[6, 7]], "float32"));
    expect(variable.value?.shape).toEqual([1, 2]);
    expect(read?.toArray()).toEqual([[6], [7]]);
    variable.assign(Tensor.of([8], "float32"));
    expect(read?.toArray()).toEqual([[6], [7]]);
  });

  test("leaves the value that it was given alone, also strings", () => {
    const given = Tensor.of([1, 2], "float32");
    write(make(given), 5);
    expect(given.toArray()).toEqual([1, 2]);
    const names = Tensor.of(["a", "b"]);
    const variable = make(names);
    const read = variable.value;
    variable.assign(Tensor.of(["c", "d"]));
    expect(names.toArray()).toEqual(["a", "b"]);
    expect(read?.toArray()).toEqual(["c", "d"]);
  });

  test("gives lasting values of its memory, one copy for all who read between two updates", () => {
    const variable = make(Tensor.of([1, 2], "float32"));
    const read = variable.value as Tensor;
    const other = Tensor.of([1, 2], "float32");
    expect([isOfVariable(read), isOfVariable(other)]).toEqual([true, false]);
    expect(lastingValue(other, waiter)).toBe(other);
    const lasting = lastingValue(read, waiter) as Tensor;
    expect((lastingValue(read.reshape([1, 2]), waiter) as Tensor).data).toBe(lasting.data);
    const bits = new Tensor("int32", [2], new Int32Array((read.data as Float32Array).buffer));
    expect(isOfVariable(bits)).toBe(true);
    write(variable, 5);
    expect(lasting.toArray()).toEqual([1, 2]);
    expect((lastingValue(read, waiter) as Tensor).toArray()).toEqual([5, 5]);
  });
});

describe("acts on variables", () => {
  const make = (name: string) => {
    const variable = new ResourceVariable({ dtype: "float32", name });
    variable.assign(Tensor.of(0, "float32"));
    return variable;
  };

  test("that find them free are done at once", () => {
    const variables = [make("a"), make("b")];
    expect(alone(variables, waiter, () => 3)).toBe(3);
    expect(variables[0]?.read(waiter)).toBeInstanceOf(Tensor);
  });

  test("wait for those before them and happen in the order in which they came", async () => {
    const variable = make("a");
    const { opened, open } = gate();
    const order: string[] = [];
    const acts = [
      alone([variable], waiter, () => opened.then(() => void order.push("first"))),
      alone([variable], waiter, () => void order.push("second")),
      Promise.resolve(variable.read(waiter)).then(() => void order.push("read")),
      alone([variable], waiter, () => void order.push("third")),
    ];
    await setImmediate();
    expect(order).toEqual([]);
    open();
    await Promise.all(acts);
    expect(order).toEqual(["first", "second", "read", "third"]);
    expect(alone([variable], waiter, () => 4)).toBe(4);
  });

  test("on the same variables in different orders do not wait for each other for ever", async () => {
    const [a, b, c] = [make("a"), make("b"), make("c")];
    const { opened, open } = gate();
    const order: number[] = [];
    const acts = [
      alone([b], waiter, () => opened),
      alone([a, b, a], waiter, async () => void order.push(1)),
      alone([b, c, a], waiter, async () => void order.push(2)),
      alone([c, b], waiter, async () => void order.push(3)),
    ];
    open();
    await Promise.all(acts);
    expect(order.toSorted()).toEqual([1, 2, 3]);
  });

  test("end their wait with their signal, and those behind them keep their order", async () => {
    const variable = make("a");
    const { opened, open } = gate();
    const order: string[] = [];
    const first = alone([variable], waiter, () => opened.then(() => void order.push("first")));
    const controller = new AbortController();
    const given = alone([variable], controller, () => void order.push("cancelled"));
    const last = alone([variable], waiter, () => void order.push("last"));
    controller.abort(cancelled("enough"));
    await expect(given).rejects.toMatchObject({ codeName: "CANCELLED" });
    await expect(alone([variable], controller, () => 1)).rejects.toMatchObject({ codeName: "CANCELLED" });
    await setImmediate();
    expect(order).toEqual([]);
    open();
    await Promise.all([first, last]);
    expect(order).toEqual(["first", "last"]);
  });

  test("that fail let the next one in", async () => {
    const variable = make("a");
    const failing = alone([variable], waiter, () => Promise.reject(cancelled("failed")));
    const next = alone([variable], waiter, () => 5);
    await expect(failing).rejects.toThrow("failed");
    expect(await next).toBe(5);
  });
});
