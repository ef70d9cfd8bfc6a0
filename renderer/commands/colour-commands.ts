/** By what nodes are coloured. */
import { type Colouring, useColouring } from "../viewport/colouring.js";
import { type CommandSpec, defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

function colourBy(by: Colouring, what: string, keywords: string): CommandSpec<void> {
  return {
    id: `view.colour.${by}`,
    group: "View",
    label: `Colour nodes by ${what}`,
    keywords: `color, heat map, legend, ${keywords}`,
    isOn: () => useColouring.getState().by === by,
    run: () => useColouring.setState({ by }),
  };
}

/** One of them is active. */
export const colourCommands = defineCommands(noTarget, {
  task: colourBy("task", "task", "device, pin"),
  op: colourBy("op", "op", "type, kind"),
  time: colourBy("time", "time", "slow, profile, duration"),
  bytes: colourBy("bytes", "bytes of their outputs", "memory, size"),
});
