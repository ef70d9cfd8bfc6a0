/** The lower rows of a node: where it runs, its value, how long it took, or what is wrong. */
import { useShallow } from "zustand/react/shallow";
import type { TensorPreview } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { ARGUMENT, isBorder, RESULT } from "../document/body-nodes.js";
import { deviceText } from "../document/edits/place.js";
import { signatureOf } from "../document/signature.js";
import { tensorName } from "../document/tensor-names.js";
import { useCluster } from "../stores/cluster-store.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { shownFunction } from "../stores/function-bodies.js";
import { useGraphKernels } from "../stores/kernel-store.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { stepText } from "../ui/format.js";
import {
  constText,
  feedText,
  fetchOf,
  fullPreviewText,
  microsText,
  nodeRunOf,
  opTitle,
  previewText,
  shortDevice,
} from "../viewport/node-text.js";

const words = texts.canvas.nodeStatus;

export interface NodeStatus {
  /** "worker/0", "auto". */
  readonly chip: string;
  /** "CPU:0" once a traced run has reported it. */
  readonly device: string;
  readonly value: string;
  /** result: computed by the newest run. old: by a run before the last edit. given: part of the graph. none: a note. */
  readonly tone: "result" | "old" | "given" | "none";
  /** True for a single computed value, which is drawn large when its node is selected. */
  readonly hero: boolean;
  readonly time: string;
  readonly problem: string | undefined;
  /** "no kernel": what would most probably prevent the node from running where it is. */
  readonly warning: string | undefined;
  /** True when the node is pinned to a task that the cluster does not have (yet). */
  readonly absent: boolean;
  /** True when device, time and value were measured before the last edit. */
  readonly stale: boolean;
  readonly tooltip: string;
}

/** Whether a node failed in the newest run of the document as it is now. */
export function useFailed(name: string): boolean {
  const failedIn = useGraphRun(({ latest, runRevision }) =>
    latest?.state === "failed" && latest.problem?.node === name ? runRevision : undefined,
  );
  return useGraph(({ revision }) => failedIn === revision);
}

export function useNodeStatus(node: NodeDef): NodeStatus {
  const run = useGraphRun(
    useShallow((state) => ({
      fetch: fetchOf(state.latest?.fetches, tensorName(node.name, 0)),
      placed: nodeRunOf(state.latest?.nodes, node.name),
      revision: state.runRevision,
      failed:
        state.latest?.state === "failed" && state.latest.problem?.node === node.name
          ? state.latest.problem.message
          : undefined,
      tracedStep: state.latest?.tracedStep,
      hasSetUp: state.latest?.tracedStepRegisteredGraph,
      step: state.latest?.step ?? 0,
    })),
  );
  const doc = useGraph(
    useShallow((state) => ({
      problem: state.problems.get(node.name)?.[0],
      feed: state.document.runConfig.feeds[tensorName(node.name, 0)],
      stale: run.revision !== undefined && run.revision !== state.revision,
    })),
  );
  const unknownTask = useCluster(
    (state) =>
      state.state !== undefined &&
      taskNameOfDevice(node.device) !== undefined &&
      state.taskForDevice(node.device) === undefined,
  );
  const missing = useGraphKernels((state) => state.missing.nodes.get(node.name));
  const hasOutput = (signatureOf(node, lookupOp)?.outputs.length ?? 1) > 0;
  const value = statusValue(node, run.fetch, doc, run.placed !== undefined, hasOutput);
  const failed = run.failed !== undefined && !doc.stale ? words.failed : undefined;
  const problem = doc.problem?.short ?? failed;
  return {
    chip: isBorder(node) ? words.callers : node.device === "" ? words.auto : deviceText(node.device),
    device: placedText(node.device, run.placed?.device),
    time: run.placed ? microsText(run.placed.durationMicros) : "",
    problem,
    warning: missing?.short,
    absent: unknownTask,
    stale: doc.stale,
    tooltip: tooltip(node, {
      value: fullValue(value, run.fetch),
      valueStep: value.tone === "result" ? run.step : undefined,
      placed: run.placed?.device,
      problem: doc.problem?.message ?? (failed ? run.failed : undefined),
      warning: missing?.message,
      unknownTask,
      measured: run.tracedStep === undefined ? undefined : stepText(run.tracedStep, run.hasSetUp),
      stale: doc.stale,
    }),
    ...value,
    ...(value.tone === "result" && doc.stale ? { tone: "old" as const } : {}),
  };
}

/** The whole value, for which the node has no room; undefined where it shows no value. */
function fullValue(
  { tone, value }: Pick<NodeStatus, "tone" | "value">,
  fetch: TensorPreview | undefined,
): string | undefined {
  if (tone === "none") return undefined;
  return tone === "result" && fetch ? fullPreviewText(fetch) : value;
}

/** An unpinned node also shows which task was chosen. */
function placedText(pinned: string, placed: string | undefined): string {
  if (placed === undefined) return "";
  const device = shortDevice(placed);
  if (pinned !== "") return device;
  const task = taskNameOfDevice(placed);
  if (task === undefined) return device;
  // There is no room for both in a small node; the task's CPU is implied.
  return device === "CPU:0" ? task : `${task} ${device}`;
}

function statusValue(
  node: NodeDef,
  fetch: TensorPreview | undefined,
  doc: { feed: Parameters<typeof feedText>[0] },
  ran: boolean,
  hasOutput: boolean,
): Pick<NodeStatus, "value" | "tone" | "hero"> {
  if (node.op === "Const") return { value: constText(node), tone: "given", hero: false };
  if (fetch) return { value: previewText(fetch), tone: "result", hero: fetch.shape.length === 0 };
  if (node.op === "Placeholder" || (node.op === "PlaceholderWithDefault" && doc.feed)) {
    return { value: feedText(doc.feed), tone: doc.feed ? "given" : "none", hero: false };
  }
  if (doc.feed) return { value: feedText(doc.feed), tone: "given", hero: false };
  if (node.op === ARGUMENT) return { value: words.givenByCall, tone: "none", hero: false };
  if (node.op === RESULT) return { value: words.givenToCall, tone: "none", hero: false };
  if (shownFunction() !== undefined) return { value: "", tone: "none", hero: false };
  if (!hasOutput) return { value: ran ? words.run : words.noOutput, tone: "none", hero: false };
  return {
    value: ran ? words.notFetched : words.noValueYet,
    tone: "none",
    hero: false,
  };
}

interface TooltipFacts {
  readonly value: string | undefined;
  /** The step that computed the value; absent for one that is part of the graph. */
  readonly valueStep: number | undefined;
  readonly placed: string | undefined;
  readonly problem: string | undefined;
  readonly warning: string | undefined;
  readonly unknownTask: boolean;
  /** The step in which it was measured where it ran, and how long. */
  readonly measured: string | undefined;
  readonly stale: boolean;
}

function measuredText(step: string, place: string | undefined, stale: boolean): string {
  if (!place) return (stale ? words.measuredBeforeEdit : words.measured)({ step });
  return (stale ? words.measuredOnBeforeEdit : words.measuredOn)({ step, place });
}

/** The full text of everything that may be truncated on the node. */
function tooltip(node: NodeDef, facts: TooltipFacts): string {
  const { value, valueStep, placed, problem, warning, unknownTask, measured, stale } = facts;
  const lines = [`${node.name} (${opTitle(node)})`];
  if (value !== undefined)
    lines.push(
      valueStep === undefined
        ? value
        : (stale ? words.valueBeforeEdit : words.value)({ value, step: stepText(valueStep) }),
    );
  if (problem) lines.push(problem);
  else if (unknownTask) lines.push(words.noTask({ device: node.device }));
  if (warning) lines.push(warning);
  if (measured !== undefined) lines.push(measuredText(measured, placed, stale));
  return lines.join("\n");
}
