/** The choice of a task by keyboard: P. */
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { taskDevice, taskName } from "../cluster/task-name.js";
import { nodesText } from "../document/edits/types.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Swatch } from "../ui/swatch.js";
import { useCanvas } from "../viewport/view-store.js";
import listStyles from "./choice-list.module.css";
import styles from "./pin-chooser.module.css";

const words = texts.canvas.pinChooser;

export function PinChooser(): ReactElement | null {
  const open = useCanvas((state) => state.pinChooserOpen);
  const some = useGraph((state) => state.selection.size > 0);
  return open && some ? <Chooser /> : null;
}

/** Where the focus was: on the canvas or in the list of nodes. */
let opener: HTMLElement | null = null;

function close(): void {
  useCanvas.setState({ pinChooserOpen: false });
  const back = opener?.isConnected ? opener : document.querySelector<HTMLElement>("[data-canvas]");
  back?.focus();
}

function Chooser(): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const selection = useGraph((state) => state.selection);
  const nodes = useGraph((state) => state.document.nodes);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const names = [...selection];
  const choices = [
    ...tasks.map((task) => ({
      device: taskDevice(task),
      label: taskName(task),
      task,
      state: task.state,
    })),
    { device: "", label: words.auto, task: undefined, state: "running" },
  ];
  useEffect(() => {
    opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    list.current?.focus();
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !list.current?.contains(event.target)) {
        useCanvas.setState({ pinChooserOpen: false });
      }
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, []);

  const choose = (device: string) => {
    documentActions.pin(names, device);
    close();
  };
  const note = (device: string): string => {
    if (names.every((name) => nodes.get(name)?.device === device)) {
      return device === "" ? words.notPinnedNow : words.alreadyPinnedHere;
    }
    if (device === "") return words.automatic;
    const now = [...nodes.values()].filter((node) => node.device === device).length;
    const more = names.filter((name) => nodes.get(name)?.device !== device).length;
    return words.nodesAfter({ now, after: now + more });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const number = Number(event.key);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") setActive((index) => (index + 1) % choices.length);
    else if (event.key === "ArrowUp") setActive((index) => (index + choices.length - 1) % choices.length);
    else if (event.key === "Enter" || event.key === " ") choose(choices[active]?.device ?? "");
    else if (number >= 1 && number < choices.length) choose(choices[number - 1]?.device ?? "");
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={list}
      className={classNames(listStyles.frame, styles.chooser)}
      role="listbox"
      tabIndex={-1}
      aria-label={words.title({ nodes: nodesText(names) })}
      aria-activedescendant={`pin-choice-${active}`}
      onKeyDown={onKeyDown}
    >
      <div className={listStyles.heading}>{words.title({ nodes: nodesText(names) })}</div>
      {choices.map(({ device, label, task, state }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list above has the focus and its keys choose
        <div
          key={device}
          id={`pin-choice-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classNames(listStyles.choice, index === active && listStyles.active)}
          onPointerMove={() => setActive(index)}
          onClick={() => choose(device)}
        >
          <Swatch task={task} />
          <span>{label}</span>
          <span className={listStyles.note}>
            {state === "running" ? note(device) : `${state}, ${note(device)}`}
          </span>
          {device !== "" && index < 9 ? <kbd>{index + 1}</kbd> : null}
        </div>
      ))}
      {tasks.length === 0 ? <div className={listStyles.message}>{words.noTasks}</div> : null}
    </div>
  );
}
