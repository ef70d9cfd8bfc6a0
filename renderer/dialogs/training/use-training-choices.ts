/** The choices of the dialog, and what follows from them. */
import { useMemo, useState } from "react";
import type { TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import {
  initialValues,
  type LayerValue,
  type LayerValues,
} from "../../../worker-runtime/graph/layers/index.js";
import {
  batchTensors,
  type GradientState,
  gradientStates,
  makeTrainable,
  OPTIMIZERS,
  type OptimizerChoice,
  type Scheme,
  type Trainable,
  variablesOfGraph,
} from "../../../worker-runtime/graph/training/trainable/index.js";
import { TensorFlowError } from "../../../worker-runtime/protocol/status.js";
import { graphToRun } from "../../document/document-file.js";
import type { GraphDocument } from "../../document/model.js";
import type { SchemeFacts } from "../../document/trainable.js";
import { type Variable, variablesOf } from "../../document/variables.js";
import type { TrainingDraft } from "../../stores/training-setup.js";

export interface VariableRow extends Variable {
  readonly state: GradientState;
}

/** A tensor that may hold examples. */
export interface BatchRow {
  readonly name: string;
  readonly rows: number | undefined;
  readonly shape: readonly number[] | undefined;
  readonly suggested: boolean;
}

/** The facts about the graph once the loss is chosen. */
interface Findings {
  readonly variables: readonly VariableRow[];
  readonly batch: readonly BatchRow[];
  /** Why the graph cannot be examined. */
  readonly problem?: string;
}

function findingsOf(document: GraphDocument, loss: string | undefined): Findings {
  if (loss === undefined) return { variables: [], batch: [] };
  try {
    const graphDef = graphToRun(document);
    const states = gradientStates(graphDef, loss);
    const graph = Graph.fromGraphDef(graphDef);
    const found = batchTensors(graph.tensor(loss), variablesOfGraph(graph).variables);
    const variables = variablesOf(document.nodes).flatMap((variable) => {
      const state = states.get(variable.name);
      return state ? [{ ...variable, state }] : [];
    });
    const batch = found.map(({ tensor: { name, shape }, rows, suggested }) => ({
      name,
      shape,
      rows,
      suggested,
    }));
    return { variables, batch };
  } catch (error) {
    return { variables: [], batch: [], problem: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof TensorFlowError) return error.message;
  throw error;
}

/** The workers of a cluster, and the tasks that hold variables. */
export interface Tasks {
  readonly workers: readonly TaskName[];
  readonly servers: readonly TaskName[];
}

export interface TrainingChoices {
  readonly optimizer: OptimizerChoice;
  readonly values: LayerValues;
  readonly scheme: Scheme;
  readonly variables: readonly (VariableRow & { readonly chosen: boolean })[];
  readonly batch: readonly (BatchRow & { readonly chosen: boolean })[];
  /** False if the graph is known to have none: then there is nothing to choose. */
  readonly hasVariables: boolean;
  readonly facts: SchemeFacts;
  /** All of it, with which the dialog can be opened again. */
  readonly draft: TrainingDraft;
  /** The nodes that would be added, or why none can be. */
  readonly made: Trainable | { readonly problem: string };
  chooseOptimizer(name: string): void;
  setValue(field: string, value: LayerValue): void;
  chooseScheme(scheme: Scheme): void;
  tick(what: "variables" | "batch", name: string): void;
}

const FIRST_OPTIMIZER = OPTIMIZERS[0] as OptimizerChoice;

const firstValues = ({ name, fields }: OptimizerChoice) =>
  initialValues({ name, description: "", fields, build: () => new Map() });

const NO_TICKS: TrainingDraft["ticks"] = { variables: new Map(), batch: new Map() };

/**
 * @param fieldProblem why a number of the optimizer cannot be used
 * @param before what to begin with; undefined: what is suggested
 */
export function useTrainingChoices(
  document: GraphDocument,
  loss: string | undefined,
  tasks: Tasks,
  fieldProblem: (optimizer: OptimizerChoice, values: LayerValues) => string | undefined,
  before: TrainingDraft | undefined,
): TrainingChoices {
  const [optimizer, setOptimizer] = useState(
    () => OPTIMIZERS.find(({ name }) => name === before?.optimizer) ?? FIRST_OPTIMIZER,
  );
  const [values, setValues] = useState<LayerValues>(() => before?.values ?? firstValues(optimizer));
  const [scheme, setScheme] = useState<Scheme>(before?.scheme ?? "single");
  const [ticks, setTicks] = useState(before?.ticks ?? NO_TICKS);
  const findings = useMemo(() => findingsOf(document, loss), [document, loss]);
  const variables = findings.variables.map((row) => ({
    ...row,
    chosen: row.state.kind === "ok" && (ticks.variables.get(row.name) ?? true),
  }));
  const batch = findings.batch.map((row) => ({
    ...row,
    chosen: ticks.batch.get(row.name) ?? row.suggested,
  }));
  const trained = variables.filter(({ chosen }) => chosen);
  const examples = batch.filter(({ chosen }) => chosen);
  const numbers = fieldProblem(optimizer, values);
  const wanted = JSON.stringify([trained.map(({ name }) => name), examples.map(({ name }) => name)]);
  const made = useMemo((): TrainingChoices["made"] => {
    const problem = findings.problem ?? numbers;
    if (problem !== undefined) return { problem };
    if (loss === undefined) return { problem: "" };
    try {
      const [names, tensors] = JSON.parse(wanted) as [string[], string[]];
      return makeTrainable(graphToRun(document), {
        ...{ loss, scheme, variables: names, batch: tensors },
        ...{ workers: tasks.workers, parameterServers: tasks.servers },
        optimizer: () => optimizer.make(values),
      });
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }, [document, loss, scheme, wanted, tasks, optimizer, values, numbers, findings]);
  return {
    ...{ optimizer, values, scheme, variables, batch, made },
    hasVariables: variables.length > 0 || findings.problem !== undefined,
    draft: { loss, optimizer: optimizer.name, values, scheme, ticks },
    facts: {
      workers: tasks.workers.length,
      batch: examples.map(({ rows }) => rows),
      dtypes: trained.map(({ dtype }) => dtype),
      sizes: trained.map(({ byteLength }) => byteLength),
    },
    chooseOptimizer: (name) => {
      const found = OPTIMIZERS.find((one) => one.name === name);
      if (!found) return;
      setOptimizer(found);
      setValues({ ...firstValues(found), ...shared(found, values) });
    },
    setValue: (field, value) => setValues((before) => ({ ...before, [field]: value })),
    chooseScheme: setScheme,
    tick: (what, name) => {
      const isChosen = (what === "variables" ? variables : batch).find((row) => row.name === name)?.chosen;
      setTicks((before) => ({ ...before, [what]: new Map(before[what]).set(name, isChosen !== true) }));
    },
  };
}

/** Momentum and the like stay what they were typed to; learning rates of one optimizer do not suit another. */
function shared({ fields }: OptimizerChoice, values: LayerValues): LayerValues {
  const kept = fields.filter(({ name }) => name !== "learningRate" && values[name] !== undefined);
  return Object.fromEntries(kept.map(({ name }) => [name, values[name] as LayerValue]));
}
