import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { MiniSession, Program } from "../session-programs.js";
import { turnsOf } from "../state/turns.js";

test("one draw among many classes is made in turns, as are many draws", async () => {
  const classes = 300_000;
  const weights = new Float32Array(classes).fill(-Infinity);
  weights[classes - 3] = 1;
  const logits = new Tensor("float32", [1, classes], weights);
  const { graph } = new Program("draws");
  const draw = (from: Tensor, count: number) =>
    graph.op("Multinomial", [from, Tensor.of(count, "int32")], { seed: 1, seed2: 2 });
  const one = await turnsOf(new MiniSession(), [draw(logits, 1)]);
  expect(one.turns).toBeGreaterThan(1);
  expect(one.outputs[0]?.toArray()).toEqual([[BigInt(classes - 3)]]);
  const many = await turnsOf(new MiniSession(), [draw(Tensor.of([[-Infinity, 0]]), 100_000)]);
  expect(many.turns).toBeGreaterThan(1);
});

test("draws take what has all the weight, in rows of few samples, too", async () => {
  const rows = 20_000;
  const data = Float32Array.from({ length: 2 * rows }, (_, i) => (i % 2 === (i >> 1) % 2 ? 0 : -Infinity));
  const program = new Program("rows");
  const draw = program.graph.op(
    "Multinomial",
    [new Tensor("float32", [rows, 2], data), Tensor.of(1, "int32")],
    { seed: 1, seed2: 2, output_dtype: "int32" },
  );
  const session = new MiniSession();
  const [classes] = await session.run({ operations: [draw], feeds: new Map() });
  expect([...(classes?.data ?? [])]).toEqual(Array.from({ length: rows }, (_, row) => row % 2));
});
