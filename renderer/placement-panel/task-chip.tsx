import type { ReactElement } from "react";
import type { PlacementTask } from "../placement/placement-task.js";
import { useCluster } from "../stores/cluster-store.js";
import { Swatch } from "../ui/swatch.js";
import styles from "./placement-panel.module.css";

/** A task's name beside its colour. */
export function TaskChip({ task }: { readonly task: PlacementTask | undefined }): ReactElement {
  const known = useCluster((state) => (task ? state.taskForDevice(task.device) : undefined));
  return (
    <span className={styles.chip}>
      <Swatch task={known} small />
      {task?.engine.name ?? ""}
    </span>
  );
}
