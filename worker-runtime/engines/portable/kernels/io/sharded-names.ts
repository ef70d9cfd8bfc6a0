import { Tensor } from "../../../../protocol/tensor.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, scalarOf } from "../support/elements.js";
import { textsOf } from "./string-inputs.js";

/** Formats a number like C's %05d. */
const fiveDigits = (value: number) =>
  value < 0 ? `-${String(-value).padStart(4, "0")}` : String(value).padStart(5, "0");

/** Names of the files of a sharded checkpoint: "model-00001-of-00004" and "model-?????-of-00004". */
export const shardedNameKernels = [
  pureKernel(
    "ShardedFilename",
    () => (inputs) => {
      const [base = ""] = textsOf(inputAt(inputs, 0));
      const shard = scalarOf(inputAt(inputs, 1), "shard");
      const shards = scalarOf(inputAt(inputs, 2), "num_shards");
      return [Tensor.of(`${base}-${fiveDigits(shard)}-of-${fiveDigits(shards)}`, "string")];
    },
    { types: noTypes },
  ),
  pureKernel(
    "ShardedFilespec",
    () => (inputs) => {
      const [base = ""] = textsOf(inputAt(inputs, 0));
      const shards = scalarOf(inputAt(inputs, 1), "num_shards");
      return [Tensor.of(`${base}-?????-of-${fiveDigits(shards)}`, "string")];
    },
    { types: noTypes },
  ),
] as const;
