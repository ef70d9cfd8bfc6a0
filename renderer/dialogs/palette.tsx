import { Command as Cmdk } from "cmdk";
import { type ReactElement, useState } from "react";
import { revealNode } from "../canvas/view-store.js";
import type { Command, CommandGroup } from "../commands/command.js";
import { allCommands, isEnabled, runCommand } from "../commands/registry.js";
import { shortcutText } from "../commands/shortcut.js";
import { taskNameOfDevice } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Icon } from "../ui/icon.js";

/** Nodes are listed once something was typed, at most so many. */
const MOST_NODES = 20;

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
  const listed = allCommands.filter((command) => command.id !== "help.palette" && isEnabled(command));
  return (
    <Cmdk.Dialog
      open
      onOpenChange={(open) => (open ? undefined : close())}
      label="Commands"
      overlayClassName="scrim"
      contentClassName="palette"
      loop
    >
      <div className="palette-input">
        <Icon name="prompt" />
        <Cmdk.Input value={search} onValueChange={setSearch} placeholder="Search or run a command" />
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
                onSelect={() => {
                  close();
                  documentActions.select([node.name]);
                  revealNode(node.name);
                }}
              >
                <Icon name="cube" />
                <span className="ell">{node.name}</span>
                <span className="mi-end">{[node.op, taskNameOfDevice(node.device)].filter(Boolean).join(", ")}</span>
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

function CommandItem({ command, onChoose }: { readonly command: Command; onChoose(): void }): ReactElement {
  const hint = command.hint?.();
  return (
    <Cmdk.Item className="mi" value={`${command.label} ${command.id}`} onSelect={onChoose}>
      {command.icon ? <Icon name={command.icon} /> : <span style={{ width: 16 }} />}
      <span className="ell">{command.label}</span>
      <span className="mi-end">
        {hint}
        {command.shortcut ? <kbd>{shortcutText(command.shortcut)}</kbd> : null}
      </span>
    </Cmdk.Item>
  );
}
