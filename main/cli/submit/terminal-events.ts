/** The events of a submitted job, as lines of the terminal. */
import type { JobEvents } from "../../submit/submit-job.js";
import type { Terminal } from "./terminal.js";

const MOST_NAMES = 8;

export function terminalEvents(terminal: Terminal): Omit<JobEvents, "onJob"> {
  return {
    onLine: (task, line, stream) => terminal.line(task, line, stream),
    onNotice: (text) => terminal.notice(text),
    onProgress: ({ id, name }, text) => terminal.notice(id === undefined ? text : `${name}: ${text}`),
    onFiles: ({ files, totalBytes, leftOut }, machines) => {
      terminal.notice(`sending ${files.length} files, ${sizeText(totalBytes)}, to ${machines.join(", ")}`);
      if (leftOut.length > 0) terminal.notice(`left out: ${shortList(leftOut)}`);
    },
    onReady: () => undefined,
    // Curves are for windows.
    onScalars: () => undefined,
    onCollected: ({ name }, { folder, files, bytes, leftOut }) => {
      if (files > 0) terminal.notice(`${name}: ${files} files, ${sizeText(bytes)}, copied back to ${folder}`);
      if (leftOut.length > 0) terminal.notice(`${name}: too large to copy back: ${shortList(leftOut)}`);
    },
  };
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
