import type { ReactElement } from "react";
import { shapeLabel } from "../../../worker-runtime/graph/shape.js";
import type { GradientState } from "../../../worker-runtime/graph/training/trainable/index.js";
import { taskNameOfDevice } from "../../cluster/task-name.js";
import { useCluster } from "../../stores/cluster-store.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { Swatch } from "../../ui/swatch.js";
import textStyles from "../../ui/text.module.css";
import styles from "./choice-rows.module.css";
import type { TrainingChoices } from "./use-training-choices.js";

const words = texts.dialogs.makeTrainable;

interface RowsProps {
  readonly choices: TrainingChoices;
}

/** The variables with where they are, and whether the loss has a gradient with respect to them. */
export function VariableRows({ choices }: RowsProps): ReactElement {
  const taskForDevice = useCluster((state) => state.taskForDevice);
  const pinned = "problem" in choices.made ? undefined : choices.made.pinned;
  return (
    <ul className={styles.rows} aria-label={words.variables}>
      {choices.variables.map(({ name, shape, dtype, device, state, chosen }) => {
        const at = pinned?.get(name) ?? device;
        const task = taskForDevice(at);
        return (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={chosen}
                disabled={state.kind !== "ok"}
                onChange={() => choices.tick("variables", name)}
              />
              <b className={textStyles.truncated}>{name}</b>
            </label>
            <span className={textStyles.monospace}>{`${shapeLabel(shape)} ${dtype ?? ""}`}</span>
            <span className={styles.task}>
              {at === "" ? null : <Swatch task={task} small />}
              {at === "" ? words.anywhere : (taskNameOfDevice(at) ?? at)}
            </span>
            <span className={classNames(styles.state, state.kind !== "ok" && textStyles.muted)}>
              {stateText(state)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function stateText(state: GradientState): string {
  return state.kind === "blocked" ? state.reason : words.gradients[state.kind];
}

/** The tensors whose rows are the examples of a step. */
export function BatchRows({ choices }: RowsProps): ReactElement {
  return (
    <ul className={styles.rows} aria-label={words.batch}>
      {choices.batch.map(({ name, shape, chosen }) => (
        <li key={name}>
          <label>
            <input type="checkbox" checked={chosen} onChange={() => choices.tick("batch", name)} />
            <b className={textStyles.truncated}>{name}</b>
          </label>
          <span className={textStyles.monospace}>{shapeLabel(shape)}</span>
        </li>
      ))}
    </ul>
  );
}
