/** By what nodes are coloured. */
import { texts } from "../texts/texts.js";
import { type Colouring, useColouring } from "../viewport/colouring.js";
import { type CommandSpec, defineCommands } from "./command.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.colour;

function colourBy(by: Colouring, label: string, keywords: string): CommandSpec<void> {
  return {
    id: `view.colour.${by}`,
    group: "View",
    label,
    keywords,
    isOn: () => useColouring.getState().by === by,
    run: () => useColouring.setState({ by }),
  };
}

/** One of them is active. */
export const colourCommands = defineCommands(noTarget, {
  task: colourBy("task", words.task, words.taskKeywords),
  op: colourBy("op", words.op, words.opKeywords),
  time: colourBy("time", words.time, words.timeKeywords),
  bytes: colourBy("bytes", words.bytes, words.bytesKeywords),
});
