import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AttrInput } from "../../../../../../worker-runtime/graph/attr-values.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tables-"));
  await writeFile(path.join(folder, "words"), "alpha\nbeta\ngämma\n");
  await writeFile(path.join(folder, "pairs"), "alpha,3\nbeta,-4\n");
  await writeFile(path.join(folder, "broken"), "alpha,3\nbeta\n");
});

afterAll(() => rm(folder, { recursive: true }));

const long = (values: bigint[]) => Tensor.of(values, "int64");

function tablePrograms(): readonly Program[] {
  const programs: Program[] = [];
  for (const version of ["", "V2"]) {
    const types = { key_dtype: "string", value_dtype: "int64" };
    const fixed = new Program(`HashTable${version}`);
    {
      const op = fixed.graph.op.bind(fixed.graph);
      const table = op(`HashTable${version}`, [], types, "table");
      const keys = fixed.placeholder("string");
      const values = fixed.placeholder("int64");
      const find = op(`LookupTableFind${version}`, [table, keys, Tensor.of(-1n)]);
      const initialize = op(`InitializeTable${version}`, [table, keys, values]);
      const size = op(`LookupTableSize${version}`, [table]);
      const all: [typeof keys, Tensor][] = [
        [keys, Tensor.of(["a", "b", "c"])],
        [values, long([1n, 2n, 3n])],
      ];
      fixed.run([find], [[keys, Tensor.of(["a"])]]).run([size]);
      fixed.run(
        [initialize],
        [
          [keys, Tensor.of(["a", "a"])],
          [values, long([1n, 2n])],
        ],
      );
      fixed.run([initialize], all).run([initialize], all).run([size]);
      fixed.run(
        [initialize],
        [
          [keys, Tensor.of(["a"])],
          [values, long([5n])],
        ],
      );
      fixed.run(
        [find],
        [
          [
            keys,
            Tensor.of([
              ["c", "x"],
              ["a", "b"],
            ]),
          ],
        ],
      );
      fixed.run([op(`LookupTableInsert${version}`, [table, Tensor.of(["z"]), long([1n])])]);
    }
    const mutable = new Program(`MutableHashTable${version}`);
    {
      const op = mutable.graph.op.bind(mutable.graph);
      const table = op(`MutableHashTable${version}`, [], types, "table");
      const keys = mutable.placeholder("string");
      const values = mutable.placeholder("int64");
      const find = op(`LookupTableFind${version}`, [table, keys, Tensor.of(-1n)]);
      const insert = op(`LookupTableInsert${version}`, [table, keys, values]);
      const load = op(`LookupTableImport${version}`, [table, keys, values]);
      const size = op(`LookupTableSize${version}`, [table]);
      mutable.run([find], [[keys, Tensor.of(["a"])]]).run([size]);
      mutable
        .run(
          [insert],
          [
            [keys, Tensor.of(["a", "b", "a"])],
            [values, long([1n, 2n, 3n])],
          ],
        )
        .run([size]);
      mutable.run([find], [[keys, Tensor.of(["a", "b", "c"])]]);
      mutable.run(
        [insert],
        [
          [keys, Tensor.of(["a"])],
          [values, long([1n, 2n])],
        ],
      );
      mutable
        .run(
          [load],
          [
            [keys, Tensor.of(["q"])],
            [values, long([9n])],
          ],
        )
        .run([size]);
      const all = op(`LookupTableExport${version}`, [table], { Tkeys: "string", Tvalues: "int64" });
      mutable.run([all, op("Identity", [all.outputAt(1)])]);
      if (version === "V2") {
        mutable.run([op("LookupTableRemoveV2", [table, Tensor.of(["q", "r"])])]).run([size]);
      }
    }
    const rows = new Program(`MutableHashTableOfTensors${version}`);
    {
      const op = rows.graph.op.bind(rows.graph);
      const table = op(
        `MutableHashTableOfTensors${version}`,
        [],
        { key_dtype: "int64", value_dtype: "float32", value_shape: [2] },
        "table",
      );
      const values = Tensor.of(
        [
          [1, 2],
          [3, 4],
        ],
        "float32",
      );
      rows.run([op(`LookupTableInsert${version}`, [table, long([5n, -6n]), values])]);
      rows.run([op(`LookupTableFind${version}`, [table, long([-6n, 0n, 5n]), Tensor.of([0, 9], "float32")])]);
    }
    programs.push(fixed, mutable, rows);
  }
  return programs;
}

function filePrograms(): readonly Program[] {
  const make = (
    file: string,
    attrs: Record<string, AttrInput>,
    types: { key_dtype: string; value_dtype: string },
  ) => {
    const program = new Program(`a table from ${file} ${JSON.stringify(attrs)}`);
    const op = program.graph.op.bind(program.graph);
    const table = op("HashTableV2", [], types, "table");
    program.run([op("InitializeTableFromTextFileV2", [table, Tensor.of(path.join(folder, file))], attrs)]);
    program.run([op("LookupTableSizeV2", [table])]);
    const keys = types.key_dtype === "string" ? Tensor.of(["alpha", "gämma", "beta"]) : long([0n, 2n, 1n]);
    const fallback = types.value_dtype === "string" ? Tensor.of("none") : Tensor.of(-1n);
    program.run([op("LookupTableFindV2", [table, keys, fallback])]);
    return program;
  };
  const toIds = { key_dtype: "string", value_dtype: "int64" };
  const toWords = { key_dtype: "int64", value_dtype: "string" };
  return [
    make("words", { key_index: -2, value_index: -1 }, toIds),
    make("words", { key_index: -2, value_index: -1, vocab_size: 2, offset: 10 }, toIds),
    make("words", { key_index: -2, value_index: -1, vocab_size: 5 }, toIds),
    make("words", { key_index: -1, value_index: -2 }, toWords),
    make("pairs", { key_index: 0, value_index: 1, delimiter: "," }, toIds),
    make("broken", { key_index: 0, value_index: 1, delimiter: "," }, toIds),
  ];
}

describe.skipIf(peerMissing("tensorflow"))("tables against TensorFlow", () => {
  test("hold, give and refuse as TensorFlow's do", async () => {
    expect(await differences([...tablePrograms(), ...filePrograms()])).toEqual([]);
  }, 120_000);
});
