/** Several nodes: how many of which op, and the device they share. */
import { type ReactElement, useMemo } from "react";
import { deviceText } from "../document/edits/place.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { DeviceSelect } from "./device-select.js";
import { InspectorHead } from "./inspector-head.js";

const MAX_LISTED = 200;

export function SelectionInspector(): ReactElement {
  const selection = useDocument((state) => state.selection);
  const nodes = useDocument((state) => state.document.nodes);
  const chosen = useMemo(() => [...selection].flatMap((name) => nodes.get(name) ?? []), [selection, nodes]);
  const devices = [...new Set(chosen.map(({ device }) => device))];
  const ops = new Map<string, number>();
  for (const { op } of chosen) ops.set(op, (ops.get(op) ?? 0) + 1);
  const counted = [...ops].sort((one, other) => other[1] - one[1]);
  const names = chosen.map(({ name }) => name);
  return (
    <>
      <InspectorHead>
        <b>{chosen.length} nodes</b>
        <span className="kind">selected</span>
      </InspectorHead>
      <div className="sec">
        <div className="f">
          <span id="devices-label">Device</span>
          <DeviceSelect
            labelledBy="devices-label"
            device={devices.length === 1 ? devices[0] : undefined}
            onChoose={(device) => documentActions.pin(names, device)}
          />
        </div>
        {devices.length > 1 ? (
          <p className="note">
            Now on {devices.map((device) => (device === "" ? "auto" : deviceText(device))).join(", ")}
          </p>
        ) : null}
      </div>
      <div className="sec">
        <h3>Ops</h3>
        {counted.map(([op, count]) => (
          <div className="io" key={op}>
            <b>{op}</b>
            <span className="ell" />
            <span className="mono">{count}</span>
          </div>
        ))}
      </div>
      <div className="sec last">
        <h3>Nodes</h3>
        {names.slice(0, MAX_LISTED).map((name) => (
          <button
            type="button"
            key={name}
            className="lk ell row"
            onClick={() => documentActions.select([name])}
          >
            {name}
          </button>
        ))}
        {names.length > MAX_LISTED ? <p className="note">and {names.length - MAX_LISTED} more</p> : null}
      </div>
    </>
  );
}
