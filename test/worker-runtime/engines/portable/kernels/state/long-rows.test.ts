import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, Program } from "../session-programs.js";
import { type Feeds, isSame, turnsOf } from "./turns.js";

const COUNT = 40_000;
const counts = Float32Array.from({ length: COUNT }, (_, i) => i);
const numbers = new Tensor("float32", [COUNT], counts);
const indices = new Tensor("int32", [COUNT], Int32Array.from(counts));

test.each(["Gather", "GatherNd"])(
  "Resource%s reads many rows in turns, all of one value though the variable changes meanwhile",
  async (how) => {
    const program = new Program("gather");
    const { graph } = program;
    const variable = program.variableHandle();
    const [value, row] = [program.placeholder("float32"), program.placeholder("int32")];
    const attrs = { dtype: "float32" };
    const assign = graph.op("AssignVariableOp", [variable, value], attrs);
    const add = graph.op("AssignAddVariableOp", [variable, value], attrs);
    const read = graph.op("ReadVariableOp", [variable], attrs);
    const gather = graph.op(`Resource${how}`, [variable, row], { ...attrs, Tindices: "int32" });
    const session = new MiniSession();
    const feeds: Feeds = [
      [value, numbers],
      [row, how === "Gather" ? indices : indices.reshape([COUNT, 1])],
    ];
    await session.run({ operations: [assign], feeds: new Map(feeds) });
    // Brings the variable to an array of its own, which an update may change in place.
    await session.run({ operations: [add], feeds: new Map(feeds) });
    const gathering = turnsOf(session, [gather], feeds);
    await session.run({ operations: [add], feeds: new Map(feeds) });
    const { turns, outputs } = await gathering;
    expect(turns).toBeGreaterThan(0);
    const times = (factor: number) =>
      new Tensor(
        "float32",
        [COUNT],
        counts.map((number) => factor * number),
      );
    expect(isSame(outputs[0], times(2))).toBe(true);
    const [after] = await session.run({ operations: [read], feeds: new Map(feeds) });
    expect(isSame(after, times(3))).toBe(true);
  },
);

test("rows of sparse and ragged tensors become objects or bytes, and one tensor again, in turns", async () => {
  const rows = 5000;
  const program = new Program("rows");
  const { graph } = program;
  const [indices, split] = [program.placeholder("int64"), program.placeholder("int64")];
  const value = program.placeholder("float32");
  const size = Tensor.of([BigInt(rows), 1n], "int64");
  const serialize = graph.op("SerializeManySparse", [indices, value, size], { T: "float32" });
  const parse = graph.op("DeserializeManySparse", [serialize], { dtype: "float32" });
  const ragged = { RAGGED_RANK: 1, Tvalues: "float32", batched_input: true };
  const variants = graph.op("RaggedTensorToVariant", [[split], value], ragged);
  const values = new Tensor("float32", [rows], counts.slice(0, rows));
  const feeds: Feeds = [
    [
      indices,
      new Tensor(
        "int64",
        [rows, 2],
        BigInt64Array.from({ length: 2 * rows }, (_, i) => BigInt(i % 2 === 0 ? i / 2 : 0)),
      ),
    ],
    [
      split,
      new Tensor(
        "int64",
        [rows + 1],
        BigInt64Array.from({ length: rows + 1 }, (_, i) => BigInt(i)),
      ),
    ],
    [value, values],
  ];
  const session = new MiniSession();
  expect((await turnsOf(session, [serialize], feeds)).turns).toBeGreaterThan(rows / 256);
  expect((await turnsOf(session, [variants], feeds)).turns).toBeGreaterThan(1);
  const parsing = await turnsOf(session, [parse], feeds);
  expect(parsing.turns).toBeGreaterThan(rows / 256);
  const sum = graph.op("Identity", [parse.outputAt(1)]);
  const { outputs } = await turnsOf(session, [sum], feeds);
  expect(isSame(outputs[0], values)).toBe(true);
});
