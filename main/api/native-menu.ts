import { z } from "zod";

/**
 * The window's commands as shown in the system's own menu bar, if it has one (macOS). The window describes the menu,
 * again whenever it changes; the desktop program draws it and reports which item was chosen.
 */

const commandItemSchema = z.object({
  kind: z.literal("command"),
  /** The key that is sent to the window when the item is chosen. */
  key: z.string(),
  label: z.string(),
  /** In Electron's syntax, "CmdOrCtrl+Shift+Z". */
  accelerator: z.string().optional(),
  enabled: z.boolean(),
  /** Present for a command that toggles something or is one of several options. */
  checked: z.boolean().optional(),
});
export type NativeCommandItem = z.infer<typeof commandItemSchema>;

/** Actions that a text field, or the page with its clipboard events, handles itself. */
const roleItemSchema = z.object({
  kind: z.literal("role"),
  role: z.enum(["undo", "redo", "cut", "copy", "paste", "selectAll"]),
});

const separatorSchema = z.object({ kind: z.literal("separator") });

const leafSchema = z.discriminatedUnion("kind", [commandItemSchema, roleItemSchema, separatorSchema]);

const submenuSchema = z.object({
  kind: z.literal("submenu"),
  label: z.string(),
  items: z.array(leafSchema),
});

const itemSchema = z.discriminatedUnion("kind", [
  commandItemSchema,
  roleItemSchema,
  separatorSchema,
  submenuSchema,
]);
export type NativeMenuItem = z.infer<typeof itemSchema>;

export const nativeMenuSchema = z.object({
  /** The program's own menu: about and settings. */
  app: z.array(itemSchema),
  menus: z.array(
    z.object({
      label: z.string(),
      items: z.array(itemSchema),
      /** True for the menu at whose end full screen and the developer tools stand. */
      takesScreen: z.boolean().optional(),
      /** True for the menu at whose end the system's recent documents stand. */
      takesRecent: z.boolean().optional(),
    }),
  ),
  help: z.array(itemSchema),
});
export type NativeMenu = z.infer<typeof nativeMenuSchema>;
