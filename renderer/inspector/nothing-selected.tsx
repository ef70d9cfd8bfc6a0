import type { ReactElement } from "react";
import { runCommands } from "../commands/run-commands.js";
import { chosenRun } from "../document/run-inputs.js";
import { parseTensorName } from "../document/tensor-names.js";
import { CommandButton } from "../parts/command-button.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { revealNode } from "../viewport/view.js";
import { InspectorHead } from "./inspector-head.js";

export function NothingSelected(): ReactElement {
  const document = useDocument((state) => state.document);
  // Until the op list is there, outputs are not known.
  useOps((state) => state.ops);
  const [fetch] = chosenRun(document, lookupOp).fetches;
  const name = fetch === undefined ? document.nodes.keys().next().value : parseTensorName(fetch).node;
  return (
    <>
      <InspectorHead>
        <b>Nothing selected</b>
      </InspectorHead>
      <div className="sec last">
        <p>Select a node to see its inputs, device and last value.</p>
        {name === undefined ? null : (
          <button
            type="button"
            className="btn select-one"
            title={name}
            onClick={() => {
              documentActions.select([name]);
              revealNode(name);
            }}
          >
            <span className="ell">Select {name}</span>
          </button>
        )}
        <CommandButton command={runCommands.choose} />
      </div>
    </>
  );
}
