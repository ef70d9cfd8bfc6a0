import type { ReactElement } from "react";
import { clusterJson, tfConfigLines } from "../../worker-runtime/cluster/cluster-exchange.js";
import type { RowProblem } from "../../worker-runtime/cluster/cluster-table.js";
import type { DraftRow } from "../cluster/table-draft.js";
import { showNotice } from "../stores/app-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { downloadFile } from "../ui/download.js";
import { Menu } from "../ui/menu.js";
import { usableCluster } from "./spec-text.js";

const words = texts.clusterTable.exportMenu;

interface ExportMenuProps {
  readonly rows: readonly DraftRow[];
  readonly problems: readonly RowProblem[];
  /** Opens the exports that have options. */
  onOtherSystems(): void;
}

/** Writes the cluster in the forms that other tools read. Rows with a fault are left out, which is said. */
export function ExportMenu(props: ExportMenuProps): ReactElement {
  const save = (name: string, write: (cluster: ReturnType<typeof usableCluster>["cluster"]) => string) => {
    const { cluster, leftOut } = usableCluster(props);
    downloadFile(new Blob([write(cluster)], { type: "text/plain" }), name);
    if (leftOut) showNotice({ kind: "info", problem: { code: "OK", message: leftOut } });
  };
  return (
    <Menu
      align="end"
      label={words.export}
      trigger={<Button icon="save">{words.export}</Button>}
      entries={[
        {
          kind: "item",
          label: "clusterspec.json",
          hint: words.clusterSpecHint,
          run: () => save("clusterspec.json", clusterJson),
        },
        {
          kind: "item",
          label: "TF_CONFIG",
          hint: words.tfConfigHint,
          run: () => save("tf_config.sh", tfConfigLines),
        },
        {
          kind: "item",
          label: words.otherSystems,
          hint: words.otherSystemsHint,
          run: props.onOtherSystems,
        },
      ]}
    />
  );
}
