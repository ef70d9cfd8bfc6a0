/** One node: its name, device, attributes, ports, feed, last value, time and problems. */

import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { opHelp } from "../document/op-help/index.js";
import { docsUrl } from "../document/op-text.js";
import { FeedSection } from "../parts/feed-section.js";
import { PropertyRow } from "../parts/property-row.js";
import { Section } from "../parts/section.js";
import { TextField } from "../parts/text-field.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { stepText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { TextLink } from "../ui/text-button.js";
import { nodeRunOf, shortDevice } from "../viewport/node-text.js";
import { AttributeSection } from "./attribute-section.js";
import { ColocationRow } from "./colocation-row.js";
import { DeviceSelect } from "./device-select.js";
import { InspectorHead } from "./inspector-head.js";
import styles from "./inspector-head.module.css";
import { ParameterSection } from "./parameter-section.js";
import { PortSection } from "./port-section.js";
import { ProblemSection } from "./problem-section.js";
import { TimeSection } from "./time-section.js";
import { ValueSection } from "./value-section.js";

const words = texts.inspector.nodeInspector;

export function NodeInspector({ node }: { node: NodeDef }): ReactElement {
  const help = opHelp(node.op);
  return (
    <>
      <InspectorHead>
        <b className={textStyles.truncated}>{node.name}</b>
        <span className={styles.kind}>{node.op}</span>
        <span className={textStyles.grow} />
        <TextLink href={docsUrl(node.op)}>
          {words.docs}
          <Icon name="external" size={14} />
        </TextLink>
      </InspectorHead>
      <ProblemSection node={node} />
      <Section>
        {help ? <p className={styles.help}>{help}</p> : null}
        <PropertyRow>
          <span id="name-label">{words.name}</span>
          <TextField
            value={node.name}
            labelledBy="name-label"
            commit={(text) => {
              const wanted = text.trim();
              return documentActions.rename(node.name, wanted) ? undefined : documentActions.takeRefusal();
            }}
          />
        </PropertyRow>
        <PropertyRow>
          <span id="device-label">{words.device}</span>
          <DeviceSelect
            labelledBy="device-label"
            device={node.device}
            onChoose={(device) => documentActions.pin([node.name], device)}
          />
        </PropertyRow>
        <ColocationRow names={[node.name]} />
        <Placed node={node} />
      </Section>
      <FeedSection node={node} />
      <AttributeSection node={node} />
      <ParameterSection node={node} />
      <PortSection node={node} />
      <ValueSection node={node} />
      <TimeSection node={node} />
    </>
  );
}

/** Where it actually ran, from the newest traced step. */
function Placed({ node }: { node: NodeDef }): ReactElement {
  const device = useDocumentRun((state) => nodeRunOf(state.latest?.nodes, node.name)?.device);
  const machine = useCluster((state) => {
    const name = device === undefined ? undefined : taskNameOfDevice(device);
    return state.state?.machines.find(({ tasks }) =>
      tasks.some(({ job, index }) => `${job}/${index}` === name),
    )?.name;
  });
  const step = useDocumentRun((state) => state.latest?.tracedStep);
  const master = useDocumentRun((state) => state.latest?.master);
  const stale = useBeforeEdit();
  const fed = useDocument((state) => state.document.runConfig.feeds[`${node.name}:0`] !== undefined);
  const text =
    device === undefined
      ? fed
        ? words.fed
        : words.notRunYet
      : [machine, node.device === "" ? taskNameOfDevice(device) : undefined, shortDevice(device)]
          .filter(Boolean)
          .join(", ");
  // The master places unpinned nodes, whichever engine its task runs.
  const chosen = master === undefined ? words.chosenByMaster : words.chosenByMasterNow({ master });
  const facts = [node.device === "" ? chosen : words.pinned, step === undefined ? undefined : stepText(step)];
  return (
    <PropertyRow>
      <span>{words.placed}</span>
      <span className={stale ? textStyles.muted : undefined}>
        {text}
        {device === undefined ? null : (
          <span className={textStyles.muted}>
            {" "}
            {[...facts, stale ? words.beforeEdit : undefined].filter(Boolean).join(", ")}
          </span>
        )}
      </span>
    </PropertyRow>
  );
}
