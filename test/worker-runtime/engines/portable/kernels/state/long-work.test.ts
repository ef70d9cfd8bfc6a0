import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, Program } from "../session-programs.js";
import { type Feeds, isSame, turnsOf } from "./turns.js";

const COUNT = 40_000;
const counts = Float32Array.from({ length: COUNT }, (_, i) => i);
const numbers = new Tensor("float32", [COUNT], counts);
const indices = new Tensor("int32", [COUNT], Int32Array.from(counts));
const keys = new Tensor("int64", [COUNT], BigInt64Array.from(counts, BigInt));

test.each(["Insert", "Import"])("LookupTable%s lets others in, but not to the table", async (how) => {
  const program = new Program("table");
  const { graph } = program;
  const types = { key_dtype: "int64", value_dtype: "float32" };
  const table = graph.op("MutableHashTableV2", [], { ...types, shared_name: "t" }, "table");
  const [key, value] = [program.placeholder("int64"), program.placeholder("float32")];
  const put = graph.op(`LookupTable${how}V2`, [table, key, value], { Tin: "int64", Tout: "float32" });
  const find = graph.op("LookupTableFindV2", [table, key, -1], { Tin: "int64", Tout: "float32" });
  const size = graph.op("LookupTableSizeV2", [table]);
  const feeds: Feeds = [
    [key, keys],
    [value, numbers],
  ];
  const session = new MiniSession();
  const putting = turnsOf(session, [put], feeds);
  const [sizeMeanwhile] = await session.run({ operations: [size], feeds: new Map() });
  expect(sizeMeanwhile?.at(0)).toBe(BigInt(COUNT));
  expect((await putting).turns).toBeGreaterThan(1);
  const { turns, outputs } = await turnsOf(session, [find], feeds);
  expect(turns).toBeGreaterThan(1);
  expect(isSame(outputs[0], numbers)).toBe(true);
});

test("a dense table grows, is exported and imported again in turns", async () => {
  const program = new Program("table");
  const { graph } = program;
  const types = { key_dtype: "int64", value_dtype: "float32" };
  const none = (key: number) => new Tensor("int64", [], BigInt64Array.of(BigInt(key)));
  const dense = (name: string) =>
    graph.op(
      "MutableDenseHashTableV2",
      [none(-1), none(-2)],
      { ...types, shared_name: name, initial_num_buckets: 65_536 },
      name,
    );
  const [table, other] = [dense("d"), dense("e")];
  const [key, value] = [program.placeholder("int64"), program.placeholder("float32")];
  const moved = { Tin: "int64", Tout: "float32" };
  const put = graph.op("LookupTableInsertV2", [table, key, value], moved);
  const list = graph.op("LookupTableExportV2", [table], { Tkeys: "int64", Tvalues: "float32" });
  const take = graph.op("LookupTableImportV2", [other, list.outputAt(0), list.outputAt(1)], moved);
  const find = graph.op("LookupTableFindV2", [other, key, -1], moved);
  const feeds: Feeds = [
    [key, keys],
    [value, numbers],
  ];
  const session = new MiniSession();
  const first = (await turnsOf(session, [put], feeds)).turns;
  expect(first).toBeGreaterThan(4);
  // As if all keys were new: those that are there are put in their new places first.
  expect((await turnsOf(session, [put], feeds)).turns).toBeGreaterThan(first + 4);
  expect((await turnsOf(session, [take])).turns).toBeGreaterThan(16);
  const { outputs } = await turnsOf(session, [find], feeds);
  expect(isSame(outputs[0], numbers)).toBe(true);
});

test("batches go into a queue and out of it in turns", async () => {
  const program = new Program("queue");
  const { graph } = program;
  const attrs = { component_types: ["float32"], shapes: [[]], shared_name: "q" };
  const queue = graph.op("FIFOQueueV2", [], attrs, "queue");
  const value = program.placeholder("float32");
  const enqueue = graph.op("QueueEnqueueManyV2", [queue, [value]], { Tcomponents: ["float32"] });
  const dequeue = graph.op("QueueDequeueManyV2", [queue, COUNT], { component_types: ["float32"] });
  const session = new MiniSession();
  expect((await turnsOf(session, [enqueue], [[value, numbers]])).turns).toBeGreaterThan(1);
  const { turns, outputs } = await turnsOf(session, [dequeue]);
  expect(turns).toBeGreaterThan(1);
  expect(isSame(outputs[0], numbers)).toBe(true);
});

test("lists of tensors are made and stacked in turns", async () => {
  const program = new Program("list");
  const { graph } = program;
  const value = program.placeholder("float32");
  const shape = new Tensor("int32", [0], new Int32Array(0));
  const list = graph.op("TensorListFromTensor", [value, shape], { element_dtype: "float32" });
  const stacked = graph.op("TensorListStack", [list, shape], { element_dtype: "float32" });
  const { turns, outputs } = await turnsOf(new MiniSession(), [stacked], [[value, numbers]]);
  expect(turns).toBeGreaterThan(4);
  expect(isSame(outputs[0], numbers)).toBe(true);
});

test("an export lists a table, and a second initialization compares it, in turns", async () => {
  const program = new Program("table");
  const { graph } = program;
  const types = { key_dtype: "int64", value_dtype: "float32" };
  const table = graph.op("HashTableV2", [], { ...types, shared_name: "t" }, "table");
  const [key, value] = [program.placeholder("int64"), program.placeholder("float32")];
  const fill = graph.op("InitializeTableV2", [table, key, value], { Tkey: "int64", Tval: "float32" });
  const list = graph.op("LookupTableExportV2", [table], { Tkeys: "int64", Tvalues: "float32" });
  const session = new MiniSession();
  const feeds: Feeds = [
    [key, keys],
    [value, numbers],
  ];
  const first = (await turnsOf(session, [fill], feeds)).turns;
  expect((await turnsOf(session, [fill], feeds)).turns).toBeGreaterThan(first);
  const { turns, outputs } = await turnsOf(session, [list]);
  expect(turns).toBeGreaterThan(4);
  expect(isSame(outputs[0], keys)).toBe(true);
  const other = new Map([
    [key, keys],
    [value, new Tensor("float32", [COUNT], counts.toReversed())],
  ]);
  await expect(session.run({ operations: [fill], feeds: other })).rejects.toThrow(
    "Table was already initialized with different data.",
  );
});

test.each([
  ["FIFOQueueV2", "QueueDequeueManyV2", []],
  ["RandomShuffleQueueV2", "QueueDequeueUpToV2", []],
  ["PaddingFIFOQueueV2", "QueueDequeueManyV2", [-1]],
])("%s gives many elements by %s in turns, and waits for the rest", async (kind, how, shape) => {
  const program = new Program("queue");
  const { graph } = program;
  const attrs = { component_types: ["float32"], shapes: [shape], shared_name: "q" };
  const queue = graph.op(kind, [], attrs, "queue");
  const value = program.placeholder("float32");
  const enqueue = graph.op("QueueEnqueueManyV2", [queue, [value]], { Tcomponents: ["float32"] });
  const dequeue = graph.op(how, [queue, 2 * COUNT], { component_types: ["float32"] });
  const batch = numbers.reshape([COUNT, ...shape.map(() => 1)]);
  const session = new MiniSession();
  await turnsOf(session, [enqueue], [[value, batch]]);
  const taking = turnsOf(session, [dequeue]);
  const { turns } = await turnsOf(session, [enqueue], [[value, batch]]);
  expect(turns).toBeGreaterThan(4);
  const { outputs } = await taking;
  expect(outputs[0]?.shape).toEqual([2 * COUNT, ...shape.map(() => 1)]);
  const taken = Float32Array.from((outputs[0]?.data as Float32Array) ?? []).sort();
  expect(taken.every((element, i) => element === Math.floor(i / 2))).toBe(true);
});

test("a barrier takes many keys and gives them in turns", async () => {
  const program = new Program("barrier");
  const { graph } = program;
  const attrs = { component_types: ["float32"], shapes: [[]], shared_name: "b" };
  const barrier = graph.op("Barrier", [], attrs, "barrier");
  const [key, value] = [program.placeholder("string"), program.placeholder("float32")];
  const insert = graph.op("BarrierInsertMany", [barrier, key, value], { T: "float32", component_index: 0 });
  const take = graph.op("BarrierTakeMany", [barrier, COUNT], { component_types: ["float32"] });
  const names = Tensor.of(Array.from(counts, String));
  const session = new MiniSession();
  const inserting = turnsOf(
    session,
    [insert],
    [
      [key, names],
      [value, numbers],
    ],
  );
  const taken = await turnsOf(session, [take]);
  expect((await inserting).turns).toBeGreaterThan(4);
  expect(taken.turns).toBeGreaterThan(4);
  expect(taken.outputs[0]?.size).toBe(COUNT);
});

test("what goes through all elements of a list does so in turns", async () => {
  const program = new Program("lists");
  const { graph } = program;
  const shape = new Tensor("int32", [0], new Int32Array(0));
  const rows = new Tensor("int32", [1], Int32Array.of(-1));
  const type = { element_dtype: "float32" };
  const list = graph.op("TensorListFromTensor", [numbers, shape], type);
  const into = graph.op("TensorListScatterIntoExistingList", [list, numbers, indices], type);
  const doubled = graph.op("AddN", [[into, list]], { T: "variant", N: 2 });
  const zeros = graph.op("ZerosLike", [list], { T: "variant" });
  const back = new Tensor("int32", [COUNT], Int32Array.from(counts).reverse());
  const gathered = graph.op("TensorListGather", [list, back, shape], type);
  const scattered = graph.op("TensorListScatterV2", [numbers, back, shape, -1], type);
  const ones = new Tensor("int64", [COUNT], new BigInt64Array(COUNT).fill(1n));
  const split = graph.op("TensorListSplit", [numbers, rows, ones], type);
  const none = new Tensor("int64", [0], new BigInt64Array(0));
  const joined = graph.op("TensorListConcatV2", [split, rows, none], type);
  const stacked = [doubled, zeros, scattered].map((one) => graph.op("TensorListStack", [one, shape], type));
  const reversed = new Tensor("float32", [COUNT], counts.toReversed());
  const twice = new Tensor(
    "float32",
    [COUNT],
    counts.map((number) => 2 * number),
  );
  const nothing = new Tensor("float32", [COUNT], new Float32Array(COUNT));
  for (const [operations, expected, leastTurns] of [
    [stacked.slice(0, 1), twice, 16],
    [stacked.slice(1, 2), nothing, 12],
    [stacked.slice(2), reversed, 12],
    [[gathered], reversed, 12],
    [[joined], numbers, 16],
  ] as const) {
    const { turns, outputs } = await turnsOf(new MiniSession(), operations);
    expect(turns).toBeGreaterThan(leastTurns);
    expect(isSame(outputs[0], expected)).toBe(true);
  }
});

test("a TensorArray is filled and read as a whole in turns", async () => {
  const { graph } = new Program("array");
  const array = graph.op("TensorArrayV3", [COUNT], { dtype: "float32", clear_after_read: false });
  const flow = array.outputs[1] ?? array;
  const T = { T: "float32" };
  const dtype = { dtype: "float32" };
  const scatter = graph.op("TensorArrayScatterV3", [array, indices, numbers, flow], T);
  const gather = graph.op("TensorArrayGatherV3", [array, indices, scatter], dtype);
  const ones = new Tensor("int64", [COUNT], new BigInt64Array(COUNT).fill(1n));
  const split = graph.op("TensorArraySplitV3", [array, numbers, ones, flow], T);
  const concat = graph.op("TensorArrayConcatV3", [array, split], dtype);
  for (const operation of [gather, concat]) {
    const { turns, outputs } = await turnsOf(new MiniSession(), [operation]);
    expect(turns).toBeGreaterThan(12);
    expect(isSame(outputs[0], numbers)).toBe(true);
  }
});

test.each(["Update", "Add"])("ResourceScatter%s updates many rows in turns", async (how) => {
  const program = new Program("scatter");
  const { graph } = program;
  const variable = program.variableHandle();
  const [value, row] = [program.placeholder("float32"), program.placeholder("int32")];
  const assign = graph.op("AssignVariableOp", [variable, value], { dtype: "float32" });
  const scatter = graph.op(`ResourceScatter${how}`, [variable, row, value], { dtype: "float32" });
  const read = graph.op("ReadVariableOp", [variable], { dtype: "float32" });
  const session = new MiniSession();
  const feeds: Feeds = [
    [value, numbers],
    [row, indices],
  ];
  await session.run({ operations: [assign], feeds: new Map(feeds) });
  const scattering = turnsOf(session, [scatter], feeds);
  const [meanwhile] = await session.run({ operations: [read], feeds: new Map(feeds) });
  const seen =
    meanwhile && new Tensor("float32", meanwhile.shape, Float32Array.from(meanwhile.data as Float32Array));
  expect((await scattering).turns).toBeGreaterThan(0);
  const [after] = await session.run({ operations: [read], feeds: new Map(feeds) });
  const factor = how === "Add" ? 2 : 1;
  expect(
    isSame(
      after,
      new Tensor(
        "float32",
        [COUNT],
        counts.map((number) => factor * number),
      ),
    ),
  ).toBe(true);
  expect(seen && isSame(meanwhile, seen)).toBe(true);
  expect(isSame(numbers, new Tensor("float32", [COUNT], Float32Array.from(indices.data as Int32Array)))).toBe(
    true,
  );
});

test("many samples are drawn in turns, the same as in one piece", async () => {
  const samplesOf = (count: number) => {
    const { graph } = new Program("samples");
    const logits = new Tensor("float32", [1, 3], Float32Array.of(0, 1, 2));
    const attrs = { T: "float32", output_dtype: "int64", seed: 3, seed2: 5 };
    return turnsOf(new MiniSession(), [graph.op("Multinomial", [logits, count], attrs)]);
  };
  const [some, all] = [await samplesOf(1000), await samplesOf(4 * COUNT)];
  expect(some.turns).toBe(0);
  expect(all.turns).toBeGreaterThan(1);
  const drawn = all.outputs[0]?.data;
  const start = drawn instanceof BigInt64Array ? drawn.subarray(0, 1000) : new BigInt64Array(0);
  expect(isSame(some.outputs[0], new Tensor("int64", [1, 1000], start))).toBe(true);
});
