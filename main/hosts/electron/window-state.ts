/** The window's position and size, kept between starts. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const rectangleSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
});
/** In density-independent pixels of the desktop. */
export type Rectangle = z.infer<typeof rectangleSchema>;

const windowStateSchema = z.object({ bounds: rectangleSchema, maximized: z.boolean() });
export type WindowState = z.infer<typeof windowStateSchema>;

export const DEFAULT_SIZE = { width: 1440, height: 900 } as const;
/** Below this the panels no longer fit beside the canvas. */
export const MINIMUM_SIZE = { width: 900, height: 600 } as const;
/** The part of the title bar that must be on a screen, so that the window can be grabbed. */
const REACHABLE_PIXELS = 64;

/** The remembered state, or undefined when there is none that can be used. */
export function readWindowState(file: string): WindowState | undefined {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Saves the state. If the folder is not writable, only the state is lost. */
export function writeWindowState(file: string, state: WindowState): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const unfinished = `${file}.new`;
    writeFileSync(unfinished, JSON.stringify(state));
    renameSync(unfinished, file);
  } catch {
    // The next start opens the window at its default position.
  }
}

/**
 * Where to open the window: the saved position if its title bar can still be reached on one of the screens, else
 * undefined, so that the system chooses one.
 */
export function reachableBounds(
  state: WindowState | undefined,
  workAreas: readonly Rectangle[],
): Rectangle | undefined {
  if (state === undefined) return undefined;
  const { x, y, width, height } = state.bounds;
  const reachable = workAreas.some((area) => {
    const shared = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
    return shared >= REACHABLE_PIXELS && y >= area.y && y < area.y + area.height - REACHABLE_PIXELS;
  });
  if (!reachable) return undefined;
  return { x, y, width: Math.max(width, MINIMUM_SIZE.width), height: Math.max(height, MINIMUM_SIZE.height) };
}
