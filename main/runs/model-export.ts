/** Writes the graphs of windows as models, with the values that the tasks or a checkpoint have of their variables. */
import { resolve } from "node:path";
import { isTable } from "../../worker-runtime/graph/initialisers.js";
import { TensorFlowError } from "../../worker-runtime/protocol/status.js";
import {
  checkpointValues,
  exportFrozenGraph,
  exportSavedModel,
  sessionTables,
  type VariableValues,
} from "../../worker-runtime/training/export-model.js";
import type { Params, Result } from "../api/contract.js";
import type { modelMethods } from "../api/models.js";
import { ProblemError } from "../api/wire.js";
import { expandHome } from "../documents/directory.js";
import type { HandlersOf } from "../shared/handlers.js";
import { problem, problemOf } from "../shared/problems.js";
import type { KeptSession } from "./session-keeper.js";
import type { Jobs } from "./tensors/jobs.js";
import { checkpointPrefix } from "./variables/checkpoint.js";
import { withValue } from "./variables/initialized.js";
import { type VariableGraph, variableGraph } from "./variables/variable-graph.js";
import { type VariableCluster, VariableSession } from "./variables/variable-session.js";

type Request = Params<"models.export">;

export class ModelExporter {
  readonly #session: VariableSession;
  readonly #jobs: Pick<Jobs, "runAsync">;

  constructor({
    cluster,
    jobs,
  }: { readonly cluster: VariableCluster; readonly jobs: Pick<Jobs, "runAsync"> }) {
    this.#session = new VariableSession(cluster);
    this.#jobs = jobs;
  }

  readonly handlers: HandlersOf<typeof modelMethods> = {
    "models.export": (request, { gone }) =>
      this.#jobs.runAsync(request.jobId, gone, (signal, onProgress) =>
        this.#export(request, signal, onProgress),
      ),
  };

  dispose(): Promise<void> {
    return this.#session.dispose();
  }

  async #export(
    request: Request,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<Result<"models.export">> {
    const graph = variableGraph(request.graph);
    const { checkpoint, restoreOp } = request;
    if (checkpoint !== undefined) {
      const saverDef = restoreOp === undefined ? undefined : { restoreOpName: restoreOp };
      const savedBy = { graphDef: { node: [...graph.nodes.values()] }, saverDef };
      const values: VariableValues = {
        ...checkpointValues(checkpointPrefix(checkpoint), savedBy),
        // Tables are in no checkpoint.
        readTables: (tables) =>
          this.#session.use(graph, signal, (session, both) => sessionTables(session, tables, both)),
      };
      return write(request, graph, values, signal, onProgress);
    }
    if (graph.variables.size === 0 && ![...graph.nodes.values()].some(isTable))
      return write(request, graph, NO_VALUES, signal, onProgress);
    return this.#session.use(graph, signal, (session, both) =>
      write(request, graph, liveValues(session, graph), both, onProgress),
    );
  }
}

/** The values of a graph without variables. */
const NO_VALUES: VariableValues = { async *read() {} };

/** An error of the session, which its owner puts into words. */
class SessionFailure extends Error {}

function liveValues(session: KeptSession, graph: VariableGraph): VariableValues {
  return {
    async *read(variables, signal = new AbortController().signal) {
      const wanted = variables.flatMap(({ name }) => graph.variables.get(name) ?? []);
      const found = await ofSession(withValue(session, wanted, signal));
      const missing = wanted.find((variable) => !found.includes(variable));
      if (missing) {
        throw problem("FAILED_PRECONDITION", `The variable ${missing.name} has no value.`, {
          reason: "The model would need it.",
          remedy: "Train the graph or initialize its variables first, or choose a checkpoint.",
          node: missing.name,
        });
      }
      for (const { name, value } of found) {
        const { values } = await ofSession(session.run([value], { signal }));
        if (values[0]) yield { name, tensor: values[0] };
      }
    },
    readTables: (tables, signal) => ofSession(sessionTables(session, tables, signal)),
  };
}

async function ofSession<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new SessionFailure("The session failed.", { cause });
  }
}

async function write(
  request: Request,
  graph: VariableGraph,
  values: VariableValues,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Result<"models.export">> {
  const path = resolve(expandHome(request.path));
  const written = { variables: 0, byteLength: 0 };
  const counted: VariableValues = {
    ...values,
    async *read(variables, readSignal) {
      for await (const one of values.read(variables, readSignal)) {
        written.variables++;
        written.byteLength += one.tensor.byteLength;
        yield one;
      }
    },
  };
  const { format, inputs, outputs, overwrite } = request;
  const userGraph = { ...graph.graphDef, node: [...graph.nodes.values()] };
  try {
    const writeModel = format === "saved_model" ? exportSavedModel : exportFrozenGraph;
    await writeModel(userGraph, path, { inputs, outputs, values: counted, overwrite, signal, onProgress });
  } catch (error) {
    if (error instanceof SessionFailure) throw error.cause;
    if (signal.aborted || error instanceof ProblemError || !(error instanceof TensorFlowError)) throw error;
    const { code, message, details } = problemOf(error);
    throw problem(code, "The model could not be exported.", { reason: message, details });
  }
  return { path, ...written };
}
