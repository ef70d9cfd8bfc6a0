import { appendFile } from "node:fs/promises";
import { withFileErrors } from "../../../../io/file-errors.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PausingWork } from "../../pauses.js";
import type { Value } from "../../values.js";
import { scalarTextAt } from "../io/string-inputs.js";
import type { OpContext, Outputs, StatefulKernelDefinition } from "../kernel.js";
import { anyType, noTypes } from "../support/dtypes.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { atPauses } from "../support/turns.js";
import { summarizeFirst } from "./tensor-text.js";

/** The outputs of PrintV2 other than files; all are the task's log. */
const LOG_STREAMS = ["stdout", "stderr", "log(info)", "log(warning)", "log(error)"];
const FILE_STREAM = "file://";

/** The first elements of each input except input 0, in brackets. */
function* summaries(inputs: readonly Value[], limit: number): PausingWork<string[]> {
  const texts: string[] = [];
  for (let index = 1; index < inputs.length; index += 1) {
    texts.push(`[${yield* summarizeFirst(tensorAt(inputs, index), limit)}]`);
  }
  return texts;
}

const printKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "Print",
  types: { T: anyType, U: anyType },
  create(node) {
    const message = node.string("message");
    const firstN = node.int("first_n");
    const limit = node.int("summarize");
    let calls = 0;
    function* printing({ inputs, step }: OpContext): PausingWork<Outputs> {
      if (firstN < 0 || calls < firstN) {
        calls += 1;
        const data = yield* summaries(inputs, limit);
        step.log(`${message}${data.join("")}`);
      }
      return inputs.slice(0, 1);
    }
    return (context) => atPauses(printing(context), context.step.signal);
  },
};

const printV2Kernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "PrintV2",
  types: noTypes,
  create(node) {
    const stream = node.string("output_stream");
    const end = node.string("end");
    if (!LOG_STREAMS.includes(stream) && !stream.startsWith(FILE_STREAM)) {
      throw invalidArgument(
        `Unknown output stream: ${stream}, Valid streams are: ${[...LOG_STREAMS, FILE_STREAM].join(", ")}`,
      );
    }
    return async ({ inputs, step }) => {
      const text = scalarTextAt(inputs, 0, "PrintV2's input");
      if (stream.startsWith(FILE_STREAM)) {
        const path = stream.slice(FILE_STREAM.length);
        const resolved = await step.files.resolve(path, "write");
        await withFileErrors(path, () => appendFile(resolved, `${text}${end}`));
      } else {
        // The log is a list of lines, so text without a line end becomes a separate line.
        step.log(end === "\n" ? text : `${text}${end}`.replace(/\n$/, ""));
      }
      return [];
    };
  },
};

const assertKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "Assert",
  types: { T: anyType },
  create(node) {
    const limit = node.int("summarize");
    function* asserting(inputs: readonly Value[]): PausingWork<Outputs> {
      const condition = tensorAt(inputs, 0);
      if (condition.shape.length !== 0) {
        throw invalidArgument(`In[0] should be a scalar: ${cppShapeText(condition.shape)}`);
      }
      if (condition.item() !== true) {
        const data = yield* summaries(inputs, limit);
        throw invalidArgument(`assertion failed: ${data.join(" ")}`);
      }
      return [];
    }
    return ({ inputs, step }) => atPauses(asserting(inputs), step.signal);
  },
};

const timestampKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "Timestamp",
  types: noTypes,
  create: () => () => [new Tensor("float64", [], Float64Array.of(Date.now() / 1000))],
};

/** Prints and assertions. */
export const printKernels: readonly StatefulKernelDefinition[] = [
  printKernel,
  printV2Kernel,
  assertKernel,
  timestampKernel,
];
