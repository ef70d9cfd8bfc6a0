import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import { fingerprintCat64 } from "../../hash64.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { fingerprint64, sipHash } from "../string/hashes.js";
import { allocate } from "../support/allocation.js";
import { pureKernel } from "../support/define.js";
import { inputAt, integersOf, longsOf, newLongs, scalarOf, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { type Column, type Columns, type CrossWriter, columnsOf, crossed } from "./feature-crosses.js";

/** Nanoseconds per feature of a cross on a slow core, to join it or to hash it with bigints. */
const NANOSECONDS_PER_FEATURE = 3_000;

/** Separates the features of a cross, unless the op specifies another separator. */
const SEPARATOR = Buffer.from("_X_");

const MAX_LONG = 2n ** 63n - 1n;

interface Inputs extends Columns {
  /** The inputs after the columns. */
  readonly rest: readonly Tensor[];
}

/** The inputs of a node: indices, values and shapes of all sparse columns, then the dense columns, then the rest. */
function inputsOf(node: KernelNode, inputs: readonly Tensor[]): Inputs {
  const sparse = node.types("sparse_types").length;
  const dense = node.types("dense_types").length;
  if (node.int("N") !== sparse) {
    throw invalidArgument(`Expected ${node.int("N")} input values, got ${sparse}`);
  }
  const parts = Array.from({ length: sparse }, (_, i) => ({
    indices: inputAt(inputs, i),
    values: inputAt(inputs, sparse + i),
    shape: inputAt(inputs, 2 * sparse + i),
  }));
  const columns = columnsOf(parts, inputs.slice(3 * sparse, 3 * sparse + dense));
  return { ...columns, rest: inputs.slice(3 * sparse + dense) };
}

/** The number of crosses if the features are spread evenly over the rows. */
function costOfCrosses(node: KernelNode, inputs: readonly Tensor[]): number {
  const sparse = node.types("sparse_types").length;
  const dense = node.types("dense_types").length;
  const shape = sparse > 0 ? inputs[2 * sparse] : undefined;
  const rows = Math.max(1, (shape === undefined ? inputs[0]?.shape[0] : integersOf(shape)[0]) ?? 1);
  const features = [...inputs.slice(sparse, 2 * sparse), ...inputs.slice(3 * sparse, 3 * sparse + dense)];
  const crosses = features.reduce((product, { size }) => product * (size / rows), rows);
  return (
    (crosses * features.length + inputs.reduce((sum, { size }) => sum + size, 0)) * NANOSECONDS_PER_FEATURE
  );
}

/** The features of a column as text. */
function textsOf({ values }: Column): readonly Uint8Array[] {
  return isByteList(values.data)
    ? values.data
    : Array.from(longsOf(values), (value) => Buffer.from(String(value)));
}

/** Crosses as the texts of their features, joined. */
function textWriter(columns: readonly Column[], separator: Uint8Array): CrossWriter {
  const texts = columns.map(textsOf);
  let output: Uint8Array[] = [];
  let at = 0;
  return {
    begin(count) {
      output = allocate("string", [count]) as Uint8Array[];
    },
    add(indexes) {
      const parts: Uint8Array[] = [];
      for (const [i, index] of indexes.entries()) {
        if (i > 0) {
          parts.push(separator);
        }
        parts.push(texts[i]?.[index] ?? separator);
      }
      output[at] = Buffer.concat(parts);
      at += 1;
    },
    result: (count) => new Tensor("string", [count], output),
    bytesOf(features, crosses) {
      let bytes = separator.length * (features.length - 1) * crosses;
      for (const [i, { start, count }] of features.entries()) {
        for (let index = start; index < start + count; index += 1) {
          bytes += ((texts[i]?.[index]?.length ?? 0) * crosses) / count;
        }
      }
      return bytes;
    },
  };
}

/** Crosses as numbers below `buckets` (0: any size); hashes are combined by TensorFlow's FingerprintCat64. */
function hashWriter(
  hashes: readonly BigUint64Array[],
  buckets: bigint,
  seed: bigint | undefined,
): CrossWriter {
  const divisor = buckets > 0n ? buckets : MAX_LONG;
  let output = new BigInt64Array(0);
  let at = 0;
  return {
    begin(count) {
      output = newLongs("int64", [count]) as BigInt64Array<ArrayBuffer>;
    },
    add(indexes) {
      let hash = seed;
      for (const [i, index] of indexes.entries()) {
        const feature = hashes[i]?.[index] ?? 0n;
        hash = hash === undefined ? feature : fingerprintCat64(hash, feature);
      }
      output[at] = (hash ?? 0n) % divisor;
      at += 1;
    },
    result: (count) => new Tensor("int64", [count], output),
  };
}

/** Hashes of all features of a column. @param ofNumber hashes a feature of int64. */
function hashesOf(
  { values }: Column,
  ofText: (bytes: Uint8Array) => bigint,
  ofNumber: (value: bigint) => bigint,
): BigUint64Array {
  return isByteList(values.data)
    ? BigUint64Array.from(values.data, ofText)
    : BigUint64Array.from(longsOf(values), ofNumber);
}

const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value);

/** The bytes of a number that TensorFlow hashes: only as many as the enum value of its dtype has. */
function hashedBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, Number(BigInt.asUintN(32, value)), true);
  return bytes;
}

function checkTypes(node: KernelNode): void {
  if (
    node.type("internal_type") === "string" &&
    [...node.types("sparse_types"), ...node.types("dense_types")].includes("int64")
  ) {
    throw invalidArgument("Input values should be of internal type string but received int64");
  }
}

const crossKernel = pureKernel(
  "SparseCross",
  (node) => {
    const isHashed = node.type("out_type") === "int64";
    const buckets = node.long("num_buckets");
    const seed = unsigned(node.long("hash_key"));
    return (inputs) => {
      checkTypes(node);
      const made = inputsOf(node, inputs);
      const writer = isHashed
        ? hashWriter(
            made.columns.map((column) => hashesOf(column, fingerprint64, unsigned)),
            buckets,
            seed,
          )
        : textWriter(made.columns, SEPARATOR);
      return crossed(made, writer);
    };
  },
  {
    types: {
      out_type: ["string", "int64"],
      internal_type: ["string", "int64"],
      sparse_types: ["int64", "string"],
      dense_types: ["int64", "string"],
    },
    cost: costOfCrosses,
  },
);

const crossV2Kernel = pureKernel(
  "SparseCrossV2",
  (node) => (inputs) => {
    const made = inputsOf(node, inputs);
    const separator = inputAt(made.rest, 0);
    if (separator.shape.length !== 0) {
      throw invalidArgument(`Input separator should be a scalar. Received: ${cppShapeText(separator.shape)}`);
    }
    return crossed(made, textWriter(made.columns, stringsOf(separator)[0] ?? new Uint8Array(0)));
  },
  { types: { sparse_types: ["int64", "string"], dense_types: ["int64", "string"] }, cost: costOfCrosses },
);

const crossHashedKernel = pureKernel(
  "SparseCrossHashed",
  (node) => (inputs) => {
    const made = inputsOf(node, inputs);
    const [buckets, strong, salt] = [0, 1, 2].map((i) => inputAt(made.rest, i)) as [Tensor, Tensor, Tensor];
    if (salt.size !== 2) {
      throw invalidArgument(`Input "salt" must have length 2 but has length ${salt.size}`);
    }
    if (buckets.size !== 1) {
      throw invalidArgument(`num_buckets must be a scalar, not shape ${cppShapeText(buckets.shape)}`);
    }
    const isStrong = scalarOf(strong, "strong_hash") !== 0;
    const [first = 0n, second = 0n] = longsOf(salt);
    const key = [unsigned(first), unsigned(second)] as const;
    const hash = isStrong ? (bytes: Uint8Array) => sipHash(bytes, key) : fingerprint64;
    const hashes = made.columns.map((column) =>
      hashesOf(column, hash, (value) =>
        column.isDense && !isStrong ? unsigned(value) : hash(hashedBytes(value)),
      ),
    );
    return crossed(made, hashWriter(hashes, longsOf(buckets)[0] ?? 0n, undefined));
  },
  { types: { sparse_types: ["int64", "string"], dense_types: ["int64", "string"] }, cost: costOfCrosses },
);

/** Crosses of categorical features. */
export const crossKernels: readonly PureKernelDefinition[] = [crossKernel, crossV2Kernel, crossHashedKernel];
