/** One node: its name, device, attributes, ports, feed, last value, time and problems. */
import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { callCommands } from "../commands/function-commands.js";
import { isBorder } from "../document/body-nodes.js";
import { callsOf } from "../document/library.js";
import { opHelp } from "../document/op-help.js";
import { docsUrl } from "../document/op-text.js";
import { CommandButton } from "../parts/command-button.js";
import { FeedSection } from "../parts/feed-section.js";
import { PropertyRow } from "../parts/property-row.js";
import { Section } from "../parts/section.js";
import { TextField } from "../parts/text-field.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { runMachinesOf, useCluster } from "../stores/cluster-store.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { useShownFunction } from "../stores/function-bodies.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { stepText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { TextLink } from "../ui/text-button.js";
import { nodeRunOf, opTitle, shortDevice } from "../viewport/node-text.js";
import { AttributeSection } from "./attribute-section.js";
import { BorderRows } from "./border-section.js";
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
  const isWithin = useShownFunction() !== undefined;
  return (
    <>
      <InspectorHead>
        <b className={textStyles.truncated}>{node.name}</b>
        <span className={styles.kind}>{opTitle(node)}</span>
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
        <Calls node={node} />
        {isBorder(node) ? <BorderRows node={node} /> : <Place node={node} isWithin={isWithin} />}
      </Section>
      {isWithin ? null : <FeedSection node={node} />}
      {isBorder(node) ? null : <AttributeSection node={node} />}
      <ParameterSection node={node} />
      <PortSection node={node} />
      <ValueSection node={node} />
      <TimeSection node={node} />
    </>
  );
}

/** The functions that it calls; each is opened from here. */
function Calls({ node }: { node: NodeDef }): ReactElement | null {
  const calls = useGraph(({ document }) => document.metaGraph);
  const all = callsOf(node, { metaGraph: calls });
  if (all.length === 0) return null;
  return (
    <>
      {all.map((call) => (
        <PropertyRow key={call.as}>
          <span className={textStyles.truncated}>
            {call.as === "" || call.as === "f" ? words.calls : call.as}
          </span>
          <CommandButton command={callCommands.open} target={call} text="named" size="small" icon />
        </PropertyRow>
      ))}
    </>
  );
}

/** Where it is to run, and where it ran. */
function Place({ node, isWithin }: { node: NodeDef; isWithin: boolean }): ReactElement {
  return (
    <>
      <PropertyRow>
        <span id="device-label">{words.device}</span>
        <DeviceSelect
          labelledBy="device-label"
          device={node.device}
          onChoose={(device) => documentActions.pin([node.name], device)}
        />
      </PropertyRow>
      <ColocationRow names={[node.name]} />
      {isWithin ? null : <Placed node={node} />}
    </>
  );
}

/** Where it actually ran, from the newest traced step. */
function Placed({ node }: { node: NodeDef }): ReactElement {
  const device = useGraphRun((state) => nodeRunOf(state.latest?.nodes, node.name)?.device);
  const machine = useCluster((state) => {
    const name = device === undefined ? undefined : taskNameOfDevice(device);
    return runMachinesOf(state).find(({ tasks }) =>
      tasks.some(({ job, index }) => `${job}/${index}` === name),
    )?.name;
  });
  const step = useGraphRun((state) => state.latest?.tracedStep);
  const ran = useGraphRun((state) => (state.latest?.step ?? 0) > 0);
  const master = useGraphRun((state) => state.latest?.master);
  const stale = useBeforeEdit();
  const fed = useGraph((state) => state.document.runConfig.feeds[`${node.name}:0`] !== undefined);
  const untold = !ran
    ? words.notRunYet
    : step === undefined
      ? words.notTraced
      : words.notInTrace({ step: stepText(step) });
  const text =
    device === undefined
      ? fed
        ? words.fed
        : untold
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
