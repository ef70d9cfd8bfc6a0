import { type ReactElement, useState } from "react";
import { canonicalDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { nodesText } from "../document/edits/types.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { FieldLabel } from "../ui/field-label.js";
import { TextInput } from "../ui/text-input.js";
import { FieldDialog } from "./field-dialog.js";

const words = texts.dialogs.deviceDialog;

/** Pins nodes to a device as TensorFlow writes it, in full or in part. */
export function DeviceDialog({ nodes }: { readonly nodes: readonly string[] }): ReactElement {
  const [text, setText] = useState(() => sharedDevice(nodes));
  const parsed = parse(text.trim());
  const refusal = "problem" in parsed ? parsed.problem : undefined;
  const submit = () => {
    if ("problem" in parsed) return;
    uiActions.close();
    documentActions.pin(nodes, parsed.device);
  };
  return (
    <FieldDialog
      title={words.title({ nodes: nodesText(nodes) })}
      refusal={refusal}
      note={words.hint}
      verb={text.trim() === "" ? words.unpin : words.pin}
      disabled={refusal !== undefined}
      submit={submit}
    >
      <FieldLabel>
        <span>{words.device}</span>
        <TextInput
          monospace
          value={text}
          placeholder="/job:ps"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          onFocus={(event) => event.target.select()}
          aria-invalid={refusal !== undefined}
        />
      </FieldLabel>
    </FieldDialog>
  );
}

/** The device that all nodes have; "" if they differ. */
function sharedDevice(names: readonly string[]): string {
  const { nodes } = useGraph.getState().document;
  const devices = new Set(names.map((name) => nodes.get(name)?.device ?? ""));
  const [only = ""] = devices;
  return devices.size === 1 ? only : "";
}

function parse(text: string): { readonly device: string } | { readonly problem: string } {
  try {
    return { device: canonicalDeviceName(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
