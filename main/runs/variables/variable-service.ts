/** Answers the windows' requests for the variables of their graphs. */
import { withPauses } from "../../../worker-runtime/engines/portable/pauses.js";
import { wholeOf } from "../../../worker-runtime/protocol/selection.js";
import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import type { Params, Result } from "../../api/contract.js";
import {
  MAX_SHOWN_ELEMENTS,
  VARIABLE_BINS,
  type VariableFigures,
  type variableMethods,
} from "../../api/variables.js";
import type { HandlersOf } from "../../shared/handlers.js";
import { problem, problemOf } from "../../shared/problems.js";
import { readFeedValue } from "../feeds.js";
import { shortened } from "../previews.js";
import type { KeptSession } from "../session-keeper.js";
import { numberGrid } from "../tensors/elements.js";
import type { Jobs } from "../tensors/jobs.js";
import { statisticsOf } from "../tensors/statistics.js";
import type { TensorStore } from "../tensors/tensor-store.js";
import { traceOf } from "../trace-summary.js";
import {
  checkpointPrefix,
  declaredBytes,
  restoreCheckpoint,
  type SavingGraph,
  saveCheckpoint,
} from "./checkpoint.js";
import { withValue } from "./initialized.js";
import { SetAsideValues } from "./set-aside.js";
import { type GraphVariable, type VariableGraph, variableGraph } from "./variable-graph.js";
import { type VariableCluster, VariableSession } from "./variable-session.js";

/** Larger variables are only read when they are opened or saved. */
const MAX_FIGURES_BYTES = 64 * 1024 * 1024;
/** Graphs of windows that are remembered; a window sends its graph again if it was forgotten. */
const MAX_GRAPHS = 8;

export interface VariableServiceCollaborators {
  readonly cluster: VariableCluster;
  /** Where values that are opened are kept. */
  readonly tensors: TensorStore;
  readonly jobs: Pick<Jobs, "runAsync">;
  /** The folder of values that are set aside. */
  readonly setAsideFolder: string;
}

export class VariableService {
  readonly #collaborators: VariableServiceCollaborators;
  readonly #session: VariableSession;
  readonly #setAsideValues: SetAsideValues;
  /** The graph that was asked for last is the last. */
  readonly #graphs = new Map<string, VariableGraph>();
  #readings = 0;

  constructor(collaborators: VariableServiceCollaborators) {
    this.#collaborators = collaborators;
    this.#session = new VariableSession(collaborators.cluster);
    this.#setAsideValues = new SetAsideValues(collaborators.setAsideFolder);
  }

  readonly handlers: HandlersOf<typeof variableMethods> = {
    "variables.inspect": ({ graph }, { gone }) => this.#inspect(graph, gone),
    "variables.figures": ({ graphId, names }, { gone }) => this.#figures(graphId, names, gone),
    "variables.keep": ({ graphId, name }, { gone }) => this.#keep(graphId, name, gone),
    "variables.assign": (request, { gone }) => this.#assign(request, gone),
    "variables.save": (request, { gone }) => this.#save(request, gone),
    "variables.restore": ({ restoreOp, ...request }, { gone }) => {
      const { nodes, variables } = this.#graph(request.graphId);
      const saverDef = restoreOp === undefined ? undefined : { restoreOpName: restoreOp };
      const variableNames = new Set(variables.keys());
      const savedBy = { graphDef: { node: [...nodes.values()] }, saverDef, variableNames };
      return this.#restore({ ...request, savedBy }, gone);
    },
    "variables.setAside": (request, { gone }) => this.#setAside(request, gone),
    "variables.bringBack": ({ keptId, keptAs, ...request }, { gone }) => {
      const path = this.#setAsideValues.prefixOf(keptId);
      return this.#restore({ ...request, path, savedAs: keptAs }, gone);
    },
  };

  async dispose(): Promise<void> {
    await this.#session.dispose();
    await this.#setAsideValues.dispose();
  }

  async #inspect(bytes: Uint8Array, gone: AbortSignal): Promise<Result<"variables.inspect">> {
    const graph = variableGraph(bytes);
    this.#graphs.delete(graph.id);
    this.#graphs.set(graph.id, graph);
    for (const oldest of this.#graphs.keys()) {
      if (this.#graphs.size <= MAX_GRAPHS) break;
      this.#graphs.delete(oldest);
    }
    const variables = [...graph.variables.values()];
    if (variables.length === 0) return { graphId: graph.id, variables: [] };
    return this.#session.use(graph, gone, async (session, signal) => {
      const { values, metadata } = await session.run(
        variables.map(({ check }) => check),
        { options: { trace: true }, signal },
      );
      const nodes = metadata?.stepStats ? traceOf([metadata.stepStats], 1, graph.graphDef).nodes : [];
      const devices = new Map(nodes.map(({ node, device }) => [`${node}:0`, device]));
      return {
        graphId: graph.id,
        variables: variables.map(({ name, check }, index) => {
          const device = devices.get(check);
          const initialized = values[index]?.toArray() === true;
          return { name, initialized, ...(device === undefined ? {} : { device }) };
        }),
      };
    });
  }

  #figures(graphId: string, names: readonly string[], gone: AbortSignal): Promise<VariableFigures[]> {
    const graph = this.#graph(graphId);
    const wanted = names
      .map((name) => variableOf(graph, name))
      .filter((variable) => declaredBytes(variable) <= MAX_FIGURES_BYTES);
    return this.#session.use(graph, gone, async (session, signal) => {
      const variables = await withValue(session, wanted, signal);
      const answers: VariableFigures[] = [];
      for (const variable of variables) {
        const tensor = await readValue(session, variable, signal);
        answers.push(await figuresOf(variable.name, tensor, signal));
      }
      return answers;
    });
  }

  #keep(graphId: string, name: string, gone: AbortSignal): Promise<Result<"variables.keep">> {
    const graph = this.#graph(graphId);
    const variable = variableOf(graph, name);
    return this.#session.use(graph, gone, async (session, signal) => {
      const [initialized] = await withValue(session, [variable], signal);
      if (!initialized) throw withoutValue(name);
      const tensor = await readValue(session, variable, signal);
      const runId = `variable-${[...graph.variables.keys()].indexOf(name)}-${graph.id.slice(0, 32)}`;
      const reading = ++this.#readings;
      this.#collaborators.tensors.set(runId, reading, [{ name, tensor }]);
      const { dtype, shape, size, byteLength } = tensor;
      return { address: { runId, name }, dtype, shape: [...shape], elementCount: size, byteLength, reading };
    });
  }

  async #assign({ graphId, name, value }: Params<"variables.assign">, gone: AbortSignal) {
    const graph = this.#graph(graphId);
    const { dtype, shape, fed, assign } = variableOf(graph, name);
    const tensor = await readFeedValue(value, { dtype, shape, signal: gone }).catch((error: unknown) => {
      if (gone.aborted) throw error;
      const { code, message, details } = problemOf(error);
      throw problem(code, `The value for ${name} cannot be used.`, { reason: message, details, node: name });
    });
    return this.#session.change(graph, gone, async (session, signal) => {
      await session.run([], { feeds: new Map([[fed, tensor]]), targets: [assign], signal });
      return {};
    });
  }

  #save({ graphId, names, path, jobId }: Params<"variables.save">, gone: AbortSignal) {
    const graph = this.#graph(graphId);
    const wanted = names.map((name) => variableOf(graph, name));
    return this.#collaborators.jobs.runAsync(jobId, gone, (signal, onProgress) =>
      this.#session.use(graph, signal, async (session, both) => {
        const variables = await withValue(session, wanted, both);
        if (variables.length === 0) throw withoutValue(names.length === 1 ? (names[0] ?? "") : undefined);
        const byteLength = await saveCheckpoint({ session, variables, path, signal: both, onProgress });
        const saved = new Set(variables.map(({ name }) => name));
        return {
          prefix: checkpointPrefix(path),
          saved: saved.size,
          byteLength,
          skipped: names.filter((name) => !saved.has(name)),
        };
      }),
    );
  }

  #setAside({ graphId, names, jobId }: Params<"variables.setAside">, gone: AbortSignal) {
    const graph = this.#graph(graphId);
    const variables = names.map((name) => variableOf(graph, name));
    return this.#collaborators.jobs.runAsync(jobId, gone, (signal, onProgress) =>
      this.#session.use(graph, signal, async (session, both) => ({
        keptId: await this.#setAsideValues.add((path) =>
          saveCheckpoint({ session, variables, path, signal: both, onProgress }),
        ),
      })),
    );
  }

  #restore(
    {
      graphId,
      names,
      path,
      jobId,
      savedBy,
      savedAs,
    }: Params<"variables.restore"> & {
      readonly savedBy?: SavingGraph | undefined;
      readonly savedAs?: Readonly<Record<string, string>> | undefined;
    },
    gone: AbortSignal,
  ) {
    const graph = this.#graph(graphId);
    const variables = names.map((name) => variableOf(graph, name));
    return this.#collaborators.jobs.runAsync(jobId, gone, (signal, onProgress) =>
      this.#session.change(graph, signal, async (session, both) => {
        const work = { session, variables, path, savedBy, savedAs, signal: both, onProgress };
        const { missing, unused } = await restoreCheckpoint(work);
        return { restored: names.length - missing.length, missing: [...missing], unused: [...unused] };
      }),
    );
  }

  #graph(graphId: string): VariableGraph {
    const graph = this.#graphs.get(graphId);
    if (graph) return graph;
    throw problem("NOT_FOUND", "The variables of this graph are no longer known.", {
      reason: "The application was restarted, or other graphs took its place.",
      remedy: "Refresh the variables.",
    });
  }
}

function variableOf(graph: VariableGraph, name: string): GraphVariable {
  const variable = graph.variables.get(name);
  if (variable) return variable;
  throw problem("NOT_FOUND", `The graph has no variable ${name}.`, { remedy: "Refresh the variables." });
}

function withoutValue(name: string | undefined) {
  return problem(
    "FAILED_PRECONDITION",
    `${name ?? "None of the variables"} has ${name ? "no" : "a"} value.`,
    {
      remedy: "Initialize it, or assign a value.",
      ...(name === undefined ? {} : { node: name }),
    },
  );
}

async function readValue(session: KeptSession, { name, value }: GraphVariable, signal: AbortSignal) {
  const { values } = await session.run([value], { signal });
  const [tensor] = values;
  if (tensor) return tensor;
  throw problem("INTERNAL", `The session did not return the value of ${name}.`);
}

async function figuresOf(name: string, tensor: Tensor, signal: AbortSignal): Promise<VariableFigures> {
  const { dtype, shape, byteLength, size } = tensor;
  const common = { name, dtype, shape: [...shape], byteLength };
  if (size <= MAX_SHOWN_ELEMENTS || dtype === "string") {
    const shown = Array.from({ length: Math.min(size, MAX_SHOWN_ELEMENTS) }, (_, index) => index);
    return { ...common, elements: shown.map((index) => shortened(tensor.elementText(index))) };
  }
  const { finite, bins, count, nan, positiveInfinity, negativeInfinity } = await withPauses(
    withoutShares(statisticsOf(numberGrid(tensor, wholeOf(shape)), VARIABLE_BINS)),
    signal,
  );
  const notFinite = nan + positiveInfinity + negativeInfinity;
  if (!finite) return { ...common, elements: [`${count} elements, none finite`] };
  return { ...common, figures: { ...finite, bins, notFinite } };
}

/** Work without the parts that are done. */
function* withoutShares<T>(work: Generator<number, T>): Generator<void, T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    yield;
  }
}
