import { Command as Cmdk } from "cmdk";
import { type ReactElement, useState } from "react";
import { taskNameOfDevice } from "../cluster/task-name.js";
import type { Command, CommandGroup } from "../commands/command.js";
import { machineCommands } from "../commands/machine-commands.js";
import { allCommands, isEnabled, runCommand } from "../commands/registry.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Icon } from "../ui/icon.js";
import { shortcutText } from "../ui/shortcut.js";
import { revealNode } from "../viewport/view.js";

/** Nodes are listed once something was typed, at most so many. */
const MOST_NODES = 20;
/** Commands of single machines are listed before anything was typed only up to so many. */
const MOST_MACHINE_COMMANDS = 12;

/** What can be done with what is selected comes first. */
function groupOrder(selected: boolean): readonly CommandGroup[] {
  return selected
    ? ["Graph", "Edit", "Run", "File", "Cluster", "View", "Settings", "Help"]
    : ["Run", "File", "Cluster", "Graph", "Edit", "View", "Settings", "Help"];
}

export function Palette(): ReactElement {
  const [search, setSearch] = useState("");
  const selected = useDocument((state) => state.selection.size > 0);
  const nodes = useDocument((state) => state.document.nodes);
  const wanted = search.trim().toLowerCase();
  const found =
    wanted === ""
      ? []
      : [...nodes.values()].filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, MOST_NODES);
  const close = () => uiActions.close();
  const change = (text: string) => {
    // No command and no node has one in its name.
    if (text === "?") uiActions.open({ kind: "shortcuts" });
    else setSearch(text);
  };
  // The cluster changes every second; what it offered when the palette opened stays.
  const [ofMachines] = useState(machineCommands);
  // Nobody reads the commands of sixty machines; they are there for who types a name.
  const shown = wanted !== "" || ofMachines.length <= MOST_MACHINE_COMMANDS ? ofMachines : [];
  const listed = [...allCommands, ...shown].filter(
    (command) => command.id !== "help.palette" && isEnabled(command),
  );
  return (
    <Cmdk.Dialog
      open
      onOpenChange={(open) => (open ? undefined : close())}
      label="Commands"
      overlayClassName="scrim"
      contentClassName="palette"
      loop
      filter={score}
    >
      <div className="palette-input">
        <Icon name="prompt" />
        <Cmdk.Input value={search} onValueChange={change} placeholder="Search or run a command" />
        <kbd>Esc</kbd>
      </div>
      <Cmdk.List className="palette-list">
        <Cmdk.Empty className="empty">No command and no node has “{search}” in its name.</Cmdk.Empty>
        {groupOrder(selected).map((group) => (
          <Cmdk.Group key={group} heading={group}>
            {listed
              .filter((command) => command.group === group)
              .map((command) => (
                <CommandItem
                  key={command.id}
                  command={command}
                  search={search}
                  onChoose={() => {
                    close();
                    runCommand(command);
                  }}
                />
              ))}
          </Cmdk.Group>
        ))}
        {found.length > 0 ? (
          <Cmdk.Group heading="Nodes">
            {found.map((node) => (
              <Cmdk.Item
                key={node.name}
                className="mi"
                value={`node ${node.name}`}
                keywords={[node.name]}
                onSelect={() => {
                  close();
                  documentActions.select([node.name]);
                  revealNode(node.name);
                }}
              >
                <Icon name="cube" />
                <span className="ell">
                  <Marked text={node.name} search={search} />
                </span>
                <span className="mi-end">
                  {[node.op, taskNameOfDevice(node.device)].filter(Boolean).join(", ")}
                </span>
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        ) : null}
      </Cmdk.List>
      <div className="palette-foot">
        <span>↑↓ choose, Enter run</span>
        <span>? shows every shortcut</span>
      </div>
    </Cmdk.Dialog>
  );
}

/** Every word that was typed must be part of the label; what begins with it comes first. */
export function score(_value: string, search: string, keywords: readonly string[] = []): number {
  const label = keywords.join(" ").toLowerCase();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => label.includes(word))) return 0;
  const [first = ""] = words;
  if (label.startsWith(first)) return 1;
  return label.includes(` ${first}`) ? 0.8 : 0.5;
}

/** The text with the part that was searched for underlined. */
function Marked({ text, search }: { readonly text: string; readonly search: string }): ReactElement {
  const wanted = search.trim().toLowerCase();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}

interface CommandItemProps {
  readonly command: Command;
  readonly search: string;
  onChoose(): void;
}

function CommandItem({ command, search, onChoose }: CommandItemProps): ReactElement {
  const hint = command.hint?.();
  return (
    <Cmdk.Item
      className="mi"
      value={command.id}
      keywords={[command.label, command.keywords ?? ""]}
      onSelect={onChoose}
    >
      {command.icon ? <Icon name={command.icon} /> : <span style={{ width: 16 }} />}
      <span className="ell">
        <Marked text={command.label} search={search} />
      </span>
      <span className="mi-end">
        {hint}
        {command.shortcut ? <kbd>{shortcutText(command.shortcut)}</kbd> : null}
      </span>
    </Cmdk.Item>
  );
}
