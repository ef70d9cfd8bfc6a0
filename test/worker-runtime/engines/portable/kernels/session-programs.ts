/**
 * Compares sequences of steps with TensorFlow: the same graph is run in one session of TensorFlow and through our
 * kernels, step by step, and every fetched value and every error is compared.
 *
 *     const program = new Program("counts");
 *     const v = program.graph.op("VariableV2", [], { shape: [], dtype: "float32" });
 *     program.run([program.graph.op("Assign", [v, 1])]);
 *     program.run([program.graph.op("Identity", [v])]);
 *     expect(await differences([program])).toEqual([]);
 */
import { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { StepContext } from "../../../../../worker-runtime/engines/portable/executor/step-context.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type { OpContext, Outputs } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { lastingValue } from "../../../../../worker-runtime/engines/portable/resources/reference-variable.js";
import { ResourceManager } from "../../../../../worker-runtime/engines/portable/resources/resource-manager.js";
import {
  type ObjectTensor,
  RefValue,
  type Value,
} from "../../../../../worker-runtime/engines/portable/values.js";
import { UNKNOWN_RANK } from "../../../../../worker-runtime/graph/attr-values.js";
import { Graph, type Operation } from "../../../../../worker-runtime/graph/graph.js";
import { failedPrecondition } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { tensorflowResult } from "../../../../support/tensorflow-script.js";
import { testStep } from "./kernel-runner.js";
import {
  encodeTensor,
  type Outcome,
  type OutcomeReply,
  outcomeOfError,
  outcomeOfReply,
  outcomeText,
  outputsDifference,
} from "./outcome.js";

const DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0";

interface Run {
  /** Operations to run; the first outputs of those that have data outputs are fetched. */
  readonly operations: readonly Operation[];
  readonly feeds: ReadonlyMap<Operation, Tensor>;
}

/** A graph and the steps that are run on it. */
export class Program {
  readonly graph = new Graph();
  readonly title: string;
  readonly runs: Run[] = [];
  /** Units in the last place that floats may differ. */
  readonly ulps: number;
  /** Differences of floats below this do not count. */
  readonly absolute: number;
  /** Whether the texts of errors are compared, too. */
  readonly texts: boolean;

  constructor(title: string, options: { ulps?: number; absolute?: number; texts?: boolean } = {}) {
    this.title = title;
    this.ulps = options.ulps ?? 0;
    this.absolute = options.absolute ?? 0;
    this.texts = options.texts ?? true;
  }

  /** One more step. Values that are not known when the graph is made are fed to placeholders. */
  run(operations: readonly Operation[], feeds: readonly (readonly [Operation, Tensor])[] = []): this {
    this.runs.push({ operations, feeds: new Map(feeds) });
    return this;
  }

  /** The handle of the resource variable of this name. */
  variableHandle(dtype = "float32", sharedName = "v"): Operation {
    const attrs = { dtype, shape: UNKNOWN_RANK, shared_name: sharedName };
    return this.graph.op("VarHandleOp", [], attrs, "handle");
  }

  placeholder(dtype: string): Operation {
    return this.graph.op("Placeholder", [], { dtype });
  }
}

const script = `
import base64, json, os, sys
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, tensor_pb2
from tensorflow.python.framework import errors_impl, tensor_util
v1 = tf.compat.v1
off = v1.ConfigProto()
off.graph_options.rewrite_options.disable_meta_optimizer = True
def proto(text):
    return tensor_util.MakeNdarray(tensor_pb2.TensorProto.FromString(base64.b64decode(text)))
def step(session, run):
    g = session.graph
    fetches = [g.get_tensor_by_name(name + ":0") if fetch else g.get_operation_by_name(name) for name, fetch in run["fetches"]]
    feeds = {g.get_tensor_by_name(name + ":0"): proto(value) for name, value in run["feeds"]}
    try:
        values = session.run(fetches, feeds, options=v1.RunOptions(timeout_in_ms=run["timeout"]))
        return {"outputs": [base64.b64encode(tf.make_tensor_proto(v).SerializeToString()).decode() for v in values if v is not None]}
    except errors_impl.OpError as error:
        return {"code": error.error_code, "message": error.message}
def run(program):
    graph = graph_pb2.GraphDef.FromString(base64.b64decode(program["graph"]))
    with tf.Graph().as_default() as g:
        try:
            tf.import_graph_def(graph, name="")
        except (ValueError, errors_impl.OpError) as error:
            code = error.error_code if isinstance(error, errors_impl.OpError) else 3
            return [{"code": code, "message": str(error)}] * len(program["runs"])
        with v1.Session(graph=g, config=off) as session:
            return [step(session, one) for one in program["runs"]]
print("RESULT " + json.dumps([run(program) for program in json.load(sys.stdin)]))
`;

/** A step of TensorFlow that waits longer than this is cancelled. */
const STEP_TIMEOUT_MILLIS = 5_000;

async function runInTensorflow(programs: readonly Program[]): Promise<readonly (readonly Outcome[])[]> {
  const requests = programs.map((program) => ({
    graph: Buffer.from(GraphDef.encode(program.graph.toGraphDef()).finish()).toString("base64"),
    runs: program.runs.map(({ operations, feeds }) => ({
      fetches: operations.map((operation) => [operation.name, operation.outputs.length > 0]),
      feeds: [...feeds].map(([{ name }, value]) => [name, encodeTensor(value)]),
      timeout: STEP_TIMEOUT_MILLIS,
    })),
  }));
  const replies = await tensorflowResult<OutcomeReply[][]>(script, { input: requests });
  return replies.map((steps) => steps.map(outcomeOfReply));
}

const registry = createKernelRegistry();

/** Runs the nodes of a graph one after the other, each when its inputs are there: far less than the executor. */
export class MiniSession {
  readonly #resources: ResourceManager;
  readonly #nodes = new Map<Operation, (context: OpContext) => Outputs | Promise<Outputs>>();

  constructor(resources = new ResourceManager()) {
    this.#resources = resources;
  }

  async run({ operations, feeds }: Run, parts: Partial<StepContext> = {}): Promise<readonly Tensor[]> {
    const step = testStep({
      resources: () => this.#resources,
      stepResources: new ResourceManager(),
      ...parts,
    });
    const done = new Map<Operation, Promise<Outputs>>();
    const outputsOf = (operation: Operation): Promise<Outputs> => {
      let outputs = done.get(operation);
      if (outputs === undefined) {
        const fed = feeds.get(operation);
        outputs = fed === undefined ? this.#execute(operation, outputsOf, step) : Promise.resolve([fed]);
        done.set(operation, outputs);
      }
      return outputs;
    };
    const results = await Promise.all(operations.map(outputsOf));
    const values = await Promise.all(results.map(([first]) => first && fetched(first, step)));
    const tensors = values.filter((value) => value instanceof Tensor);
    return Promise.all(tensors.map((tensor) => lastingValue(tensor, step)));
  }

  async #execute(
    operation: Operation,
    outputsOf: (operation: Operation) => Promise<Outputs>,
    step: StepContext,
  ): Promise<Outputs> {
    await Promise.all(operation.controlInputs.map(outputsOf));
    const sources = await Promise.all(operation.inputs.map(({ op }) => outputsOf(op)));
    let kernel = this.#nodes.get(operation);
    if (kernel === undefined) {
      kernel = this.#kernelOf(operation);
      this.#nodes.set(operation, kernel);
    }
    const { inputArg } = Graph.of(operation).registry.require(operation.type);
    const inputs = sources.map((outputs, index) => {
      const value = given(outputs[operation.inputs[index]?.index ?? 0]);
      return inputArg[index]?.isRef === true ? value : fetched(value, step);
    });
    return kernel({ inputs: await Promise.all(inputs), step, frameId: 0n, iteration: 0 });
  }

  #kernelOf(operation: Operation): (context: OpContext) => Outputs | Promise<Outputs> {
    const opDef = Graph.of(operation).registry.require(operation.type);
    const node = new KernelNode({ ...operation.toNodeDef(), device: DEVICE }, opDef);
    const definition = registry.find(node, "CPU");
    if (definition === undefined) {
      throw new Error(`There is no kernel for ${operation.type}.`);
    }
    if (definition.kind === "stateful") {
      return definition.create(node);
    }
    const compute = definition.create(node);
    return ({ inputs }) => compute(inputs as readonly Tensor[]);
  }
}

function given(value: Value | undefined): Value {
  if (value === undefined) {
    throw new Error("The input is dead.");
  }
  return value;
}

async function fetched(value: Value, step: StepContext): Promise<Tensor | ObjectTensor> {
  if (!(value instanceof RefValue)) {
    return value;
  }
  const held = await value.cell.read(step);
  if (held === undefined) {
    throw failedPrecondition(`Attempting to use uninitialized value ${value.cell.name}`);
  }
  return held;
}

async function runHere(program: Program): Promise<readonly Outcome[]> {
  const session = new MiniSession();
  const outcomes: Outcome[] = [];
  for (const run of program.runs) {
    try {
      outcomes.push({ outputs: await session.run(run) });
    } catch (error) {
      outcomes.push(outcomeOfError(error));
    }
  }
  return outcomes;
}

/** Runs all programs on both sides. Returns a text for each step that differs: values, dtype, shape or error. */
export async function differences(programs: readonly Program[]): Promise<readonly string[]> {
  const theirs = await runInTensorflow(programs);
  const found: string[] = [];
  for (const [i, program] of programs.entries()) {
    const ours = await runHere(program);
    for (const [step, our] of ours.entries()) {
      const their = theirs[i]?.[step];
      const difference = their && differenceOf(program, our, their);
      if (difference !== undefined) {
        found.push(`${program.title}, step ${step}: ${difference}`);
      }
    }
  }
  return found;
}

function differenceOf(program: Program, ours: Outcome, theirs: Outcome): string | undefined {
  if ("code" in theirs && theirs.message.includes("No OpKernel was registered")) {
    // Without a kernel of TensorFlow's there is nothing to compare with.
    return undefined;
  }
  if ("code" in ours || "code" in theirs) {
    const same =
      "code" in ours &&
      "code" in theirs &&
      ours.code === theirs.code &&
      (!program.texts || plainText(ours.message) === plainText(theirs.message));
    return same
      ? undefined
      : `ours: ${plainText(outcomeText(ours))}\n  TensorFlow: ${plainText(outcomeText(theirs))}`;
  }
  return outputsDifference(ours.outputs, theirs.outputs, program);
}

/** An error's text without what differs from run to run: numbers of private names and steps, hashes, where in Python. */
function plainText(message: string): string {
  return message
    .replace(/^[\s\S]*?Node: '[^']*'\n/, "")
    .replace(/^Graph execution error:\n\n/, "")
    .replace(/\n\t \[\[[\s\S]*$/, "")
    .replace(/\n\nOriginal stack[\s\S]*$/, "")
    .replaceAll(/ \(hash code \d+\)/g, "")
    .replaceAll(/_\d+_(?=\w)/g, "_N_")
    .replaceAll(/(TensorArrayV3|Stack\w*)(_\d+)+/g, "$1_N");
}
