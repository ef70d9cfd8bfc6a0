/** Files: checkpoints in TensorFlow's format, and whole files. Each program writes before it reads. */
import path from "node:path";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { TensorValue } from "../../../../../worker-runtime/protocol/tensor-values.js";
import type { Program } from "./program.js";

/** Tensors of four elements. TensorFlow restores parts of some of these dtypes only. */
const SLICED: readonly (readonly [DType, TensorValue])[] = [
  ["float16", [1, 2, 3, 4]],
  ["bfloat16", [1, 2, 3, 4]],
  ["float64", [1, 2, 3, 4]],
  ["uint8", [1, 2, 3, 4]],
  ["uint16", [1, 2, 3, 4]],
  ["uint32", [1, 2, 3, 4]],
  ["uint64", [1n, 2n, 3n, 4n]],
  ["complex64", [1, 2, 3, 4]],
  ["bool", [true, false, true, true]],
  ["string", ["a", "b", "c", "d"]],
];

export const filePrograms: readonly Program[] = [
  {
    name: "checkpoint",
    build: (g, folder) => {
      const prefix = (name: string) => Tensor.of(path.join(folder, name));
      const names = Tensor.of(["a", "b", "c"]);
      const whole = Tensor.of(["", "", ""]);
      const data = [
        Tensor.of([1, 2, 3, 4, 5, 6], "float32", [2, 3]),
        Tensor.of([7n], "int64"),
        Tensor.of(["x", "yz"]),
      ];
      const types = { dtypes: ["float32", "int64", "string"] };
      const save = g.op("SaveV2", [prefix("part"), names, whole, data], types);
      const merge = g.op("MergeV2Checkpoints", [Tensor.of([path.join(folder, "part")]), prefix("model")]);
      const restore = g.op("RestoreV2", [prefix("model"), names, whole], types);
      const slice = g.op("RestoreV2", [prefix("model"), Tensor.of(["a"]), Tensor.of(["2 3 0,2:1,2"])], {
        dtypes: ["float32"],
      });
      const missing = g.op("RestoreV2", [prefix("model"), Tensor.of(["nobody"]), Tensor.of([""])], {
        dtypes: ["float32"],
      });
      const nowhere = g.op("RestoreV2", [prefix("nowhere"), Tensor.of(["a"]), Tensor.of([""])], {
        dtypes: ["float32"],
      });
      const wrong = g.op("RestoreV2", [prefix("model"), Tensor.of(["a"]), Tensor.of([""])], {
        dtypes: ["int64"],
      });
      return [
        { run: [save] },
        { run: [merge] },
        { run: [0, 1, 2].map((i) => restore.outputAt(i)) },
        { run: [slice.outputAt(0)] },
        { run: [missing.outputAt(0)] },
        { run: [nowhere.outputAt(0)] },
        { run: [wrong.outputAt(0)] },
      ];
    },
  },
  ...SLICED.map(
    ([dtype, data]): Program => ({
      name: `checkpoint_slices_of_${dtype}`,
      build: (g, folder) => {
        const tensor = Tensor.of(data, dtype);
        const prefix = (name: string) => Tensor.of(path.join(folder, name));
        const names = Tensor.of(["a"]);
        const save = (name: string, slice: string) =>
          g.op("SaveV2", [prefix(name), names, Tensor.of([slice]), [tensor]], { dtypes: [dtype] });
        const restore = (name: string, slice: string) => ({
          run: [
            g.op("RestoreV2", [prefix(name), names, Tensor.of([slice])], { dtypes: [dtype] }).outputAt(0),
          ],
        });
        const parts = [save("first", "8 0,4"), save("second", "8 4,4"), save("whole", "")];
        const merge = g.op("MergeV2Checkpoints", [
          Tensor.of([path.join(folder, "first"), path.join(folder, "second")]),
          prefix("both"),
        ]);
        return [
          { run: parts },
          { run: [merge] },
          // Stored as such, which every dtype allows; then parts and the whole, which have to be put together.
          restore("both", "8 4,4"),
          restore("whole", "4 0,4"),
          restore("both", ""),
          restore("both", "8 2,4"),
          restore("whole", "4 1,2"),
        ];
      },
    }),
  ),
  {
    name: "whole_files",
    build: (g, folder) => {
      const file = Tensor.of(path.join(folder, "made", "file.txt"));
      const read = g.op("ReadFile", [file]).output;
      return [
        { run: [read] },
        { run: [g.op("WriteFile", [file, Tensor.of("contents")])] },
        { run: [read] },
        {
          run: [
            g.op("Size", [g.op("MatchingFiles", [Tensor.of(path.join(folder, "made", "*.txt"))]).output])
              .output,
          ],
        },
        {
          run: [
            g.op("Size", [g.op("MatchingFiles", [Tensor.of(path.join(folder, "made", "*.none"))]).output])
              .output,
          ],
        },
      ];
    },
  },
  ...(["", "V2"] as const).map(
    (v): Program => ({
      name: `table_from_file${v}`,
      build: (g, folder) => {
        const file = Tensor.of(path.join(folder, `words${v}.txt`));
        const table = g.op(`HashTable${v}`, [], { key_dtype: "string", value_dtype: "int64" }).output;
        // Keys are whole lines (-2), values their numbers (-1).
        const load = g.op(`InitializeTableFromTextFile${v}`, [table, file], {
          key_index: -2,
          value_index: -1,
        });
        const find = g.op(`LookupTableFind${v}`, [
          table,
          Tensor.of(["two", "four"]),
          Tensor.of(-1n, "int64"),
        ]).output;
        return [
          { run: [load] },
          { run: [g.op("WriteFile", [file, Tensor.of("one\ntwo\nthree\n")])] },
          { run: [load] },
          { run: [find] },
        ];
      },
    }),
  ),
];
