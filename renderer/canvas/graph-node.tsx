/** One node of the graph. Its size is fixed; the results of a run are drawn inside it. */
import { type NodeProps, type ReactFlowState, useStore } from "@xyflow/react";
import { type CSSProperties, memo, type ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { reportError } from "../actions/report-error.js";
import { deviceText } from "../document/edits/place.js";
import { useCluster } from "../stores/cluster-store.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphKernels } from "../stores/kernel-store.js";
import { movingTo, shownDevice, usePlacementPreview } from "../stores/placement-preview.js";
import { texts } from "../texts/texts.js";
import { isStriped, taskColourVar } from "../theme/task-colour.js";
import { classNames } from "../ui/class-names.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { Icon } from "../ui/icon.js";
import { TextButton } from "../ui/text-button.js";
import { useColourOf } from "../viewport/colouring.js";
import { opTitle } from "../viewport/node-text.js";
import { type ShownParameter, useParameters } from "../viewport/use-parameters.js";
import type { GraphFlowNode } from "./flow-nodes.js";
import styles from "./graph-node.module.css";
import { FarPorts, NodePorts } from "./node-ports.js";
import { useFailed, useNodeStatus } from "./node-status.js";
import { FAR_ZOOM } from "./picture.js";

const words = texts.canvas.graphNode;

const isFar = (state: ReactFlowState) => state.transform[2] < FAR_ZOOM;

/** A node that fails to render does not affect the others or its own edges. */
export const GraphNode = memo(function GraphNode(props: NodeProps<GraphFlowNode>): ReactElement {
  const { id, data } = props;
  return (
    <ErrorBoundary
      resetOn={data}
      onError={(error, components) => reportError(words.name({ node: id }), error, components)}
      fallback={(error, retry) => <FailedNode {...props} error={error} onRetry={retry} />}
    >
      <DrawnNode {...props} />
    </ErrorBoundary>
  );
});

/** "[3,3,16,32]", "[3,3,16,32] and 2 more": the shapes of what is folded into the node. */
function parameterText([first, ...others]: readonly ShownParameter[]): string {
  const shape = first?.shape || (first?.node.name ?? "");
  return others.length === 0 ? shape : words.shapes({ shape, count: others.length });
}

function DrawnNode(props: NodeProps<GraphFlowNode>): ReactElement {
  return useStore(isFar) ? <FarNode {...props} /> : <NearNode {...props} />;
}

/** Where a node is drawn: on its own device, or on the one of a suggestion whose outcome is shown. */
function useShownPlace(node: NodeDef) {
  const preview = usePlacementPreview();
  return {
    device: shownDevice(node, preview),
    moving: movingTo(node.name, preview),
    isPreview: preview?.shown === "after" && preview.places.has(node.name),
  };
}

/** Where a suggested placement would put a node. */
function MovingTo({ device }: { readonly device: string }): ReactElement {
  const task = useCluster((state) => state.taskForDevice(device));
  return (
    <span
      className={classNames(styles.place, styles.destination)}
      style={{ "--c": taskColourVar(task) } as CSSProperties}
      data-node-destination=""
    >
      <i className={classNames(styles.taskMark, task && isStriped(task) && styles.striped)} />
      <span>{words.movesTo({ device: deviceText(device) })}</span>
    </span>
  );
}

interface FailedNodeProps extends NodeProps<GraphFlowNode> {
  readonly error: unknown;
  onRetry(): void;
}

function FailedNode({ id, data, selected, error, onRetry }: FailedNodeProps): ReactElement {
  return (
    <div
      className={classNames(styles.node, styles.failing, selected && styles.selected)}
      role="alert"
      title={words.failure({ node: id, error: error instanceof Error ? error.message : String(error) })}
    >
      <div className={styles.head} data-node-head="">
        <b>{id}</b>
      </div>
      <div className={styles.placeRow}>
        <span className={styles.status}>
          <Icon name="close" size={12} />
          <span>{words.notDrawn}</span>
        </span>
      </div>
      <div className={styles.valueRow}>
        <TextButton className="nodrag" onClick={onRetry}>
          {texts.common.tryAgain}
        </TextButton>
      </div>
      <FarPorts ports={data.ports} />
    </div>
  );
}

function FarNode({ id, data, selected }: NodeProps<GraphFlowNode>): ReactElement {
  const { device, moving } = useShownPlace(data.node);
  const colour = useCluster((state) =>
    taskColourVar(device === "" ? undefined : state.taskForDevice(device)),
  );
  const failed = useFailed(id);
  const wrong = useGraph((state) => state.problems.has(id)) || failed;
  const warned = useGraphKernels((state) => state.missing.nodes.has(id));
  const scaled = useColourOf([id]);
  return (
    <div
      className={classNames(
        styles.node,
        styles.far,
        device === "" && styles.unpinned,
        moving !== undefined && styles.moving,
        selected && styles.selected,
        wrong ? styles.failing : warned && styles.warned,
        scaled !== undefined && styles.scaled,
      )}
      style={{ "--c": colour, "--scale": scaled } as CSSProperties}
      title={[`${id} (${opTitle(data.node)})`, failed && texts.canvas.nodeStatus.failed]
        .filter(Boolean)
        .join("\n")}
    >
      <b>{data.title}</b>
      <FarPorts ports={data.ports} />
    </div>
  );
}

function NearNode({ id, data, selected }: NodeProps<GraphFlowNode>): ReactElement {
  const { node, title } = data;
  const status = useNodeStatus(node);
  const parameters = useParameters(id);
  const scaled = useColourOf([id]);
  const { device, moving, isPreview } = useShownPlace(node);
  const task = useCluster((state) => (device === "" ? undefined : state.taskForDevice(device)));
  return (
    <div
      className={classNames(
        styles.node,
        device === "" && styles.unpinned,
        moving !== undefined && styles.moving,
        selected && styles.selected,
        status.problem ? styles.failing : status.warning && styles.warned,
        status.stale && styles.stale,
        scaled !== undefined && styles.scaled,
      )}
      style={{ "--c": taskColourVar(task), "--scale": scaled } as CSSProperties}
      title={status.tooltip}
    >
      <div className={styles.head} data-node-head="">
        <b>{title}</b>
        <span>{opTitle(node)}</span>
      </div>
      <div className={styles.placeRow}>
        <span className={styles.place} data-node-place="">
          <i
            className={classNames(
              styles.taskMark,
              status.absent && !isPreview ? styles.absent : task && isStriped(task) && styles.striped,
            )}
          />
          <span>{isPreview ? deviceText(device) : status.chip}</span>
        </span>
        <span className={styles.measured} data-node-device="">
          {isPreview ? "" : status.device}
        </span>
      </div>
      <div className={styles.valueRow}>
        {status.problem ? (
          <span className={styles.status}>
            <Icon name="close" size={12} />
            <span>{status.problem}</span>
          </span>
        ) : moving !== undefined && !isPreview ? (
          <MovingTo device={moving} />
        ) : status.warning && status.tone !== "result" ? (
          <span className={classNames(styles.status, styles.warningStatus)}>
            <Icon name="warning" size={12} />
            <span>{status.warning}</span>
          </span>
        ) : (
          <span
            className={classNames(
              styles.value,
              status.tone === "none" && styles.noValue,
              status.tone === "old" && styles.oldValue,
              selected && status.hero && styles.largeValue,
            )}
            data-node-value={status.tone}
          >
            {status.tone === "none" && parameters.length > 0 ? parameterText(parameters) : status.value}
          </span>
        )}
        {status.problem || (moving !== undefined && !isPreview) ? null : (
          <span className={styles.measured}>{status.time}</span>
        )}
      </div>
      <NodePorts id={id} data={data} />
    </div>
  );
}
