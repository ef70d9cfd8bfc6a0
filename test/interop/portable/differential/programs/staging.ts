/** Staging areas. */
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program } from "./program.js";

const int = (value: number | number[]): Tensor => Tensor.of(value, "int32");

export const stagingPrograms: readonly Program[] = [
  {
    name: "staging",
    build: (g) => {
      const attrs = { dtypes: ["float32", "string"], shared_name: "staging" };
      const stage = (number: number, text: string) =>
        g.op("Stage", [[Tensor.of([number], "float32"), Tensor.of(text)]], {
          dtypes: attrs.dtypes,
          shared_name: "staging",
        });
      const take = g.op("Unstage", [], attrs);
      const peek = (index: number) => g.op("StagePeek", [int(index)], attrs);
      const [first, second] = [peek(0), peek(1)];
      const size = g.op("StageSize", [], attrs).output;
      return [
        { run: [size] },
        { run: [stage(1, "a")] },
        { run: [stage(2, "b")] },
        { run: [size] },
        { run: [second.outputAt(0), second.outputAt(1)] },
        { run: [first.outputAt(1)] },
        { run: [take.outputAt(0), take.outputAt(1)] },
        { run: [take.outputAt(1)] },
        { run: [stage(3, "c")] },
        { run: [g.op("StageClear", [], attrs)] },
        { run: [size] },
      ];
    },
  },
  {
    name: "staging_limits",
    build: (g) => {
      const attrs = { dtypes: ["float32"], shared_name: "limited", memory_limit: 8 };
      const stage = (...values: number[]) => g.op("Stage", [[Tensor.of(values, "float32")]], attrs);
      const pair = g.op("Unstage", [], { ...attrs, dtypes: ["float32", "float32"] });
      return [
        { run: [stage(1, 2, 3)] },
        { run: [stage(1, 2)] },
        { run: [g.op("StageSize", [], attrs).output] },
        { run: [pair.outputAt(0)] },
      ];
    },
  },
];
