import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import { client } from "../client.js";
import { commandById, isEnabled, runCommand } from "../commands/registry.js";
import { attempt } from "../stores/app-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { IconButton } from "../ui/button.js";
import { bytesText, countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Menu } from "../ui/menu.js";

const SYSTEMS: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

interface MachineHeadProps {
  readonly machine: Machine;
  readonly focusable: boolean;
  onFocus(): void;
}

/** A machine's name and what it has to compute with. */
export function MachineHead({ machine, focusable, onFocus }: MachineHeadProps): ReactElement {
  const engine = useRuntime((store) => store.state?.runtime);
  const looked = useRuntime((store) => store.state !== undefined);
  const gpus = machine.gpus.map(({ name, memoryBytes }) =>
    memoryBytes > 0 ? `${name} ${bytesText(memoryBytes)}` : name,
  );
  const system = SYSTEMS[machine.platform] ?? machine.platform;
  const parts = [
    ...(gpus.length > 0 ? gpus : [countText(machine.cores, "core")]),
    bytesText(machine.memoryBytes),
  ];
  const engineText = engine
    ? `TensorFlow ${engine.version}${engine.gpu ? " GPU" : ""}`
    : looked
      ? "no TensorFlow runtime"
      : "";
  const stopAll = commandById("cluster.stopAll");
  return (
    <div
      className="mach-head"
      role="treeitem"
      aria-level={1}
      aria-expanded="true"
      aria-label={`${machine.name}${machine.isThisMachine ? ", this machine" : ""}, ${[system, ...parts, engineText].join(", ")}`}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
    >
      <div className="mh">
        <span className="dot ok" aria-hidden="true" />
        <b className="ell">{machine.name}</b>
        {machine.isThisMachine ? <span className="fg2">this machine</span> : null}
        <span className="grow" />
        <Menu
          align="end"
          label={`Menu of ${machine.name}`}
          trigger={<IconButton icon="more" label="Machine menu" data-row-menu="" tabIndex={-1} small />}
          entries={[
            {
              kind: "item",
              label: "Add worker",
              icon: "plus",
              run: () => runCommand(commandById("cluster.addWorker")),
            },
            {
              kind: "item",
              label: stopAll.label,
              icon: "stop",
              disabled: !isEnabled(stopAll),
              run: () => runCommand(stopAll),
            },
            { kind: "separator" },
            {
              kind: "item",
              label: "Look for a TensorFlow runtime again",
              icon: "refresh",
              run: () =>
                attempt(() =>
                  client()
                    .call("runtime.refresh")
                    .then(() => undefined),
                ),
            },
          ]}
        />
      </div>
      <div className="msub" title={engine ? `${system}\n${engine.path}\n${engine.origin}` : system}>
        <Icon name={machine.gpus.length > 0 ? "chip" : "desktop"} size={14} />
        <span className="ell">{[...parts, engineText].filter(Boolean).join(" · ")}</span>
      </div>
    </div>
  );
}
