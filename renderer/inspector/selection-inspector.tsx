/** Several nodes: how many of which op, and the device they share. */
import { type ReactElement, useMemo } from "react";
import { deviceText } from "../document/edits/place.js";
import { PropertyRow } from "../parts/property-row.js";
import { Note, Section, SectionHeading } from "../parts/section.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { ColocationRow } from "./colocation-row.js";
import { DeviceSelect } from "./device-select.js";
import { InspectorHead } from "./inspector-head.js";
import headStyles from "./inspector-head.module.css";
import rowStyles from "./port-row.module.css";
import styles from "./selection-inspector.module.css";

const words = texts.inspector.selectionInspector;

const MAX_LISTED = 200;

export function SelectionInspector(): ReactElement {
  const selection = useGraph((state) => state.selection);
  const nodes = useGraph((state) => state.document.nodes);
  const chosen = useMemo(() => [...selection].flatMap((name) => nodes.get(name) ?? []), [selection, nodes]);
  const devices = [...new Set(chosen.map(({ device }) => device))];
  const ops = new Map<string, number>();
  for (const { op } of chosen) ops.set(op, (ops.get(op) ?? 0) + 1);
  const counted = [...ops].sort((one, other) => other[1] - one[1]);
  const names = chosen.map(({ name }) => name);
  return (
    <>
      <InspectorHead>
        <b>{words.count({ count: chosen.length })}</b>
        <span className={headStyles.kind}>{words.selected}</span>
      </InspectorHead>
      <Section>
        <PropertyRow>
          <span id="devices-label">{words.device}</span>
          <DeviceSelect
            labelledBy="devices-label"
            device={devices.length === 1 ? devices[0] : undefined}
            onChoose={(device) => documentActions.pin(names, device)}
          />
        </PropertyRow>
        <ColocationRow names={names} />
        {devices.length > 1 ? (
          <Note>
            {words.now({
              devices: devices.map((device) => (device === "" ? words.auto : deviceText(device))).join(", "),
            })}
          </Note>
        ) : null}
      </Section>
      <Section>
        <SectionHeading>{words.ops}</SectionHeading>
        {counted.map(([op, count]) => (
          <div className={rowStyles.row} key={op}>
            <b className={rowStyles.name}>{op}</b>
            <span className={textStyles.grow} />
            <span className={classNames(textStyles.monospace, rowStyles.type)}>{count}</span>
          </div>
        ))}
      </Section>
      <Section last>
        <SectionHeading>{words.nodes}</SectionHeading>
        {names.slice(0, MAX_LISTED).map((name) => (
          <TextButton
            key={name}
            className={classNames(textStyles.truncated, styles.node)}
            onClick={() => documentActions.select([name])}
          >
            {name}
          </TextButton>
        ))}
        {names.length > MAX_LISTED ? <Note>{words.more({ count: names.length - MAX_LISTED })}</Note> : null}
      </Section>
    </>
  );
}
