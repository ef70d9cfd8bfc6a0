import { whenIdle } from "./when-idle.js";

let end: () => void;
const start = new Promise<void>((resolve) => {
  end = resolve;
});

/** The window has its first document, or says why it has none. */
export function startIsOver(): void {
  end();
}

/** Resolves when the window has its first document: what the application computes for other calls would delay it. */
export function started(): Promise<void> {
  return start;
}

/** Calls back once the first document is drawn and the window is idle: whatever is fetched or computed before delays that. */
export function afterStart(action: () => void): void {
  void start.then(drawn).then(() => whenIdle(action));
}

/** Nodes are drawn once and measured, then drawn where they belong. A page in the background draws nothing. */
async function drawn(): Promise<void> {
  for (let frame = 0; frame < 2 && !document.hidden; frame++)
    await new Promise((resolve) => requestAnimationFrame(resolve));
}
