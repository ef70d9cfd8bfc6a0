import type { ClusterSpec } from "../cluster/cluster-spec.js";
import { topologicalOrder } from "../graph/topology.js";
import { feedFromFile, feedFromText } from "../io/feed.js";
import { writeOutputFile } from "../io/output-file.js";
import { cancelled, invalidArgument, notFound } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import type { RunResult } from "../session/run-step.js";
import { restoreSavedModel, restoreText } from "../session/saved-model/restore.js";
import { planRestore } from "../session/saved-model/restore-plan.js";
import { Session, type SessionConfig } from "../session/session.js";
import { chromeTrace } from "../session/trace/chrome-trace.js";
import { placementOf } from "../session/trace/placement.js";
import { readStepStats } from "../session/trace/step-stats.js";
import { unoptimizedConfig } from "../session/trace/unoptimized-config.js";
import { helpText } from "./args.js";
import { readClusterFile } from "./cluster-file.js";
import { failureText } from "./failure.js";
import { type LocalTasks, startLocalTasks } from "./local-tasks.js";
import { RunnableGraph } from "./run-graph.js";
import { withHint } from "./run-hints.js";
import { type FeedArgument, type RunCommandOptions, readRunOptions, runCommandSpec } from "./run-options.js";
import { pinnedJobs, pinsOf } from "./run-pins.js";
import { RunProgress } from "./run-progress.js";
import {
  outputFiles,
  resultsJson,
  resultsText,
  type StepResults,
  timingText,
  writeOutputs,
} from "./run-results.js";
import { fedTensor, type NamedSignature, signatureNamed, wantedOutputs } from "./run-signature.js";

/** Exit codes of a process that was ended by a signal: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type EndingSignal = keyof typeof EXIT_CODES;

/** Number of nodes missing from a trace that are named. */
const FOLDED_NODES_NAMED = 5;

/** Number of nodes of a cycle that are named. */
const CYCLE_NODES_NAMED = 5;

/** Prefix of the names of the nodes that restore a SavedModel. */
const RESTORE_PREFIX = "tensordeck_restore/";

/** The output for anything but results. */
function say(text: string): void {
  process.stderr.write(text);
}

/**
 * Once it is held, aborts at the first Ctrl-C or SIGTERM and ends the process at the second. Before that, signals end the
 * process by themselves, at once and whatever it computes: nothing is there yet that has to be ended.
 */
class Interruption {
  readonly #controller = new AbortController();
  readonly #handlers = new Map<EndingSignal, () => void>();
  /** The exit code for the received signal; undefined if there was none. */
  exitCode: number | undefined;

  constructor() {
    // The first process of a container gets no signals but those that it listens to.
    if (process.pid === 1) this.hold();
  }

  hold(): void {
    if (this.#handlers.size > 0) return;
    for (const name of Object.keys(EXIT_CODES) as EndingSignal[]) {
      const handler = (): void => {
        if (this.exitCode !== undefined) process.exit(this.exitCode);
        this.exitCode = EXIT_CODES[name];
        this.#controller.abort(cancelled("The run was cancelled by the user."));
      };
      this.#handlers.set(name, handler);
      process.on(name, handler);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    for (const [name, handler] of this.#handlers) process.off(name, handler);
  }
}

async function readFeeds(
  feeds: readonly FeedArgument[],
  graph: RunnableGraph,
  signature: NamedSignature | undefined,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<Map<string, Tensor>> {
  const tensors = new Map<string, Tensor>();
  for (const { tensor: name, source } of feeds) {
    const tensor = graph.tensor(fedTensor(signature, name), "feed");
    const wanted = { tensor, ...graph.feedType(tensor) };
    if (source.kind !== "text") progress.enter(`Reading ${source.path}`);
    const value =
      source.kind === "text"
        ? feedFromText(source.text, wanted)
        : await feedFromFile(source.path, { ...wanted, column: source.column, signal });
    tensors.set(tensor, value);
  }
  return tensors;
}

function sessionConfig(options: RunCommandOptions): NonNullable<SessionConfig> {
  return {
    ...(options.optimize ? {} : unoptimizedConfig()),
    allowSoftPlacement: options.softPlacement,
    logDevicePlacement: options.logDevicePlacement,
  };
}

/** The configuration of a session that makes a cluster of tasks that were started alone. */
function withCluster(config: SessionConfig, cluster: ClusterSpec): SessionConfig {
  return {
    ...config,
    clusterDef: cluster.asClusterDef(),
    // So that variables outlive the session and are seen from every master.
    experimental: { shareSessionStateInClusterspecPropagation: true },
  };
}

/** Where the session runs: on the server that was named, on one of its own, or on as many local tasks as the pins name. */
async function sessionOn(
  options: RunCommandOptions,
  { graph }: RunnableGraph,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<{ readonly session: Session; readonly tasks?: LocalTasks }> {
  const onProgress = (text: string): void => progress.enter(text);
  const { target, engine } = options;
  const config = sessionConfig(options);
  if (target !== undefined) {
    progress.enter(`Connecting to ${target}`);
    const cluster =
      options.clusterFile === undefined ? undefined : await readClusterFile(options.clusterFile);
    const whole = cluster === undefined ? config : withCluster(config, cluster);
    return { session: new Session(target, { graph, config: whole, onProgress }) };
  }
  const jobs = pinnedJobs(pinsOf(graph));
  if (jobs.length === 0) {
    progress.enter("Starting a local server");
    return { session: new Session(undefined, { graph, config, server: { engine }, onProgress }) };
  }
  const text = jobs.map(({ job, tasks }) => `${tasks} of ${job}`).join(", ");
  say(`Starting local tasks for the jobs that the graph is pinned to: ${text}\n`);
  progress.enter(`Starting ${text}`);
  const tasks = await startLocalTasks(jobs, { engine, config }, signal);
  const session = new Session(tasks.target, {
    graph,
    config: withCluster(config, tasks.cluster),
    onProgress,
  });
  return { session, tasks };
}

/** Gives the variables and tables of a SavedModel their saved values. */
async function restore(
  session: Session,
  graph: RunnableGraph,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<void> {
  const { savedModel } = graph;
  if (savedModel === undefined) return;
  const plan = planRestore(savedModel.metaGraph, RESTORE_PREFIX);
  await restoreSavedModel(session, plan, {
    folder: savedModel.folder,
    onProgress: (now) => progress.enter(restoreText(now)),
    signal,
  });
}

/** The names to fetch and run: as requested, otherwise as suggested by the document or the graph itself. */
function wantedOf(
  options: RunCommandOptions,
  graph: RunnableGraph,
  signature: NamedSignature | undefined,
  fed: ReadonlySet<string>,
): Pick<Steps, "names" | "fetches" | "targets"> {
  if (signature) {
    const outputs = wantedOutputs(signature, options.fetches);
    const targets = options.targets.map((name) => graph.operation(name));
    return {
      names: [...outputs.keys()],
      fetches: [...outputs.values()],
      targets: [...(options.fetches.length === 0 ? signature.targets : []), ...targets],
    };
  }
  if (options.fetches.length + options.targets.length > 0) {
    const fetches = options.fetches.map((name) => graph.tensor(name, "fetch"));
    return { names: fetches, fetches, targets: options.targets.map((name) => graph.operation(name)) };
  }
  const choice = graph.choice(fed);
  const { fetches, targets } = choice;
  if (fetches.length + targets.length === 0) {
    const { cycle } = topologicalOrder(graph.graph.node);
    if (cycle) {
      const some = cycle.slice(0, CYCLE_NODES_NAMED).join(", ");
      const more = cycle.length > CYCLE_NODES_NAMED ? ", …" : "";
      throw invalidArgument(
        `No node of the graph can be run: ${cycle.length} of them wait for each other in a cycle (${some}${more}).`,
      );
    }
    throw notFound(
      "The graph ends only in operations that save, restore, initialize or report. " +
        "Use --fetch or --run to choose what to run.",
    );
  }
  const parts = [
    ...(fetches.length > 0 ? [`Fetching ${fetches.join(", ")}`] : []),
    ...(targets.length > 0 ? [`${fetches.length > 0 ? "running" : "Running"} ${targets.join(", ")}`] : []),
  ];
  say(`${parts.join(" and ")}, ${originText(choice)}. Use --fetch and --run to choose.\n`);
  return { names: fetches, fetches, targets };
}

function originText(choice: ReturnType<RunnableGraph["choice"]>): string {
  switch (choice.origin) {
    case "document":
      return "as chosen in the document";
    case "train_op":
      return "the graph's training operations";
    case "losses":
      return "the graph's losses";
    case "signature":
      return `the outputs of the signature ${choice.signature ?? ""}`;
    case "ends":
      return "which no other node consumes";
  }
}

interface Steps {
  /** The names of the results. */
  readonly names: readonly string[];
  readonly fetches: readonly string[];
  readonly feeds: ReadonlyMap<string, Tensor>;
  readonly targets: readonly string[];
  readonly init: readonly string[];
}

async function runSteps(
  session: Session,
  steps: Steps,
  options: RunCommandOptions,
  graph: RunnableGraph,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<StepResults> {
  const { timeoutMillis } = options;
  if (steps.init.length > 0) {
    progress.enter(`Running ${steps.init.join(", ")}`);
    await session.run([], { feeds: steps.feeds, targets: steps.init, options: { timeoutMillis }, signal });
  }
  let last: RunResult = { values: [] };
  let placement: StepResults["placement"];
  const stepMillis: number[] = [];
  for (let step = 1; step <= options.steps; step += 1) {
    progress.enter(options.steps === 1 ? "Running the step" : `Running step ${step} of ${options.steps}`);
    const isLast = step === options.steps;
    const started = performance.now();
    last = await session.run(steps.fetches, {
      feeds: steps.feeds,
      targets: steps.targets,
      options: {
        timeoutMillis,
        trace: isLast && options.traceFile !== undefined,
        outputPartitionGraphs: step === 1 && options.logDevicePlacement,
      },
      signal,
    });
    stepMillis.push(performance.now() - started);
    if (step === 1 && options.logDevicePlacement) {
      placement = placementOf(last.metadata?.partitionGraphs ?? [], graph.graph);
    }
  }
  if (options.traceFile !== undefined) await writeTrace(options, options.traceFile, last, steps, graph);
  return { names: steps.names, values: last.values, placement, stepMillis };
}

async function writeTrace(
  options: RunCommandOptions,
  file: string,
  { metadata }: RunResult,
  steps: Steps,
  graph: RunnableGraph,
): Promise<void> {
  const stats = metadata?.stepStats;
  if (stats === undefined || stats.devStats.length === 0) {
    say(`No trace was written because the server recorded none.\n`);
    return;
  }
  await writeOutputFile(file, JSON.stringify(chromeTrace(stats, graph.graph)));
  const traced = new Set(readStepStats(stats, graph.graph).nodes.map((timing) => timing.node));
  const needed = graph.neededFor([...steps.fetches, ...steps.targets], new Set(steps.feeds.keys()));
  const folded = [...needed].filter((name) => !traced.has(name));
  if (options.optimize && folded.length > 0) {
    say(
      `TensorFlow's optimizers removed ${folded.length} of ${needed.size} nodes from the graph before it ran ` +
        `(${folded.slice(0, FOLDED_NODES_NAMED).join(", ")}${folded.length > FOLDED_NODES_NAMED ? ", …" : ""}). ` +
        "With --no-optimize, the trace shows them as well.\n",
    );
  }
  say(`Wrote the trace of the last step to ${file}; open it in chrome://tracing or ui.perfetto.dev.\n`);
}

async function run(options: RunCommandOptions, interruption: Interruption): Promise<void> {
  const { signal } = interruption;
  const progress = new RunProgress(say);
  let graph: RunnableGraph | undefined;
  let session: Session | undefined;
  let tasks: LocalTasks | undefined;
  try {
    progress.enter(`Reading ${options.graph}`);
    graph = await RunnableGraph.read(options.graph, signal);
    const signature =
      options.signature === undefined ? undefined : signatureNamed(graph.notes, options.signature);
    const feeds = await readFeeds(options.feeds, graph, signature, progress, signal);
    const steps: Steps = {
      ...wantedOf(options, graph, signature, new Set(feeds.keys())),
      init: options.init.map((name) => graph?.operation(name) ?? name),
      feeds,
    };
    const files = outputFiles(options.outputs, steps.names);
    interruption.hold();
    ({ session, tasks } = await sessionOn(options, graph, progress, signal));
    await session.open(signal);
    if (options.restore) await restore(session, graph, progress, signal);
    const results = await runSteps(session, steps, options, graph, progress, signal);
    progress.end();
    await writeOutputs(files, results);
    process.stdout.write(options.json ? resultsJson(results) : resultsText(results));
    for (const [file, tensor] of files) say(`Wrote ${tensor} to ${file}\n`);
    if (options.steps > 1) say(timingText(results.stepMillis));
  } catch (error) {
    throw withHint(error, options, graph);
  } finally {
    progress.end();
    try {
      await session?.close();
    } finally {
      await tasks?.stop();
    }
  }
}

/**
 * `tensordeck run`: runs a graph from a file and prints its fetches.
 * @returns 0; 130 or 143 when Ctrl-C or SIGTERM cancelled it
 * @throws TensorFlowError for everything else that fails
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  const options = readRunOptions(args);
  if (options === undefined) {
    process.stdout.write(helpText(runCommandSpec));
    return 0;
  }
  const interruption = new Interruption();
  try {
    await run(options, interruption);
    return 0;
  } catch (error) {
    if (interruption.exitCode === undefined) throw error;
    say(failureText(error));
    return interruption.exitCode;
  } finally {
    interruption.release();
  }
}
