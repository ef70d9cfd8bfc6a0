// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { Button } from "../../../renderer/ui/button.js";
import { Dialog } from "../../../renderer/ui/dialog.js";
import { Menu, MenuAt, type MenuEntry } from "../../../renderer/ui/menu.js";
import { copied, expectAccessible, show } from "../support/components.js";

const run = vi.fn();
const item = (label: string, more: Partial<Extract<MenuEntry, { kind: "item" }>> = {}): MenuEntry => ({
  kind: "item",
  label,
  run: () => run(label),
  ...more,
});
const ENTRIES: readonly MenuEntry[] = [
  { kind: "heading", text: "Task" },
  item("Restart", { shortcut: "Mod+R" }),
  item("Stop", { disabled: true, note: "It is stopping." }),
  { kind: "separator" },
  { kind: "copy", label: "Copy device", text: "/job:worker/task:0", hint: "worker/0" },
  {
    kind: "submenu",
    label: "Role",
    entries: [item("View", { checked: false }), item("Run", { checked: true })],
  },
];

const trigger = <Button>More</Button>;
const more = () => screen.getByRole("button", { name: "More" });
const focused = () => document.activeElement?.textContent;

describe("a menu", () => {
  it("opens with a key, goes by arrows, runs what is chosen, and gives the focus back", async () => {
    run.mockClear();
    const { user } = show(<Menu trigger={trigger} entries={ENTRIES} />);
    expect(more().getAttribute("aria-haspopup")).toBe("menu");
    await user.tab();
    await user.keyboard("{Enter}");
    expect(screen.getByRole("menu", { name: "More" })).toBeDefined();
    expect(focused()).toMatch(/^Restart/);
    await expectAccessible();
    await user.keyboard("{ArrowDown}{ArrowUp}{Enter}");
    expect(run.mock.calls).toEqual([["Restart"]]);
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(more());
  });

  it("says why an entry cannot be chosen now, keeps it within reach, and does not run it", async () => {
    run.mockClear();
    const { user } = show(<Menu trigger={trigger} entries={ENTRIES} />);
    await user.click(more());
    const stop = screen.getByRole("menuitem", { name: "Stop It is stopping." });
    expect(stop.getAttribute("aria-disabled")).toBe("true");
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(document.activeElement).toBe(stop);
    await user.keyboard("{Enter}");
    await user.click(stop);
    expect(run).not.toHaveBeenCalled();
    expect(screen.getByRole("menu")).toBeDefined();
  });

  it("copies, says so, and stays open for that", async () => {
    const { user } = show(<Menu trigger={trigger} entries={ENTRIES} />);
    await user.click(more());
    await user.click(screen.getByRole("menuitem", { name: /^Copy device/ }));
    expect(copied).toEqual(["/job:worker/task:0"]);
    expect(screen.getByRole("menuitem", { name: /^Copy device/ }).textContent).toContain("Copied");
  });

  it("opens a menu beside it with a key; entries of a choice say which one holds", async () => {
    run.mockClear();
    const { user } = show(<Menu trigger={trigger} entries={ENTRIES} />);
    await user.click(more());
    await user.keyboard("{End}{ArrowRight}");
    const choices = screen.getAllByRole("menuitemcheckbox");
    expect(choices.map((one) => [one.textContent, one.getAttribute("aria-checked")])).toEqual([
      ["View", "false"],
      ["Run", "true"],
    ]);
    await expectAccessible();
    await user.keyboard("{Enter}");
    expect(run.mock.calls).toEqual([["View"]]);
  });

  it("asks for its entries when it opens", async () => {
    const entries = vi.fn(() => [item("Now")]);
    const { user } = show(<Menu trigger={trigger} entries={entries} />);
    expect(entries).not.toHaveBeenCalled();
    await user.click(more());
    expect(screen.getByRole("menuitem", { name: "Now" })).toBeDefined();
  });

  it("of a row gives the focus to the row", async () => {
    const { user } = show(
      <div role="tree" aria-label="Cluster">
        <div role="treeitem" tabIndex={0}>
          <Menu trigger={<Button tabIndex={-1}>More</Button>} entries={[item("Details")]} />
        </div>
      </div>,
    );
    await user.click(more());
    await user.keyboard("{Escape}");
    expect(document.activeElement).toBe(screen.getByRole("treeitem"));
  });
});

function ContextMenu() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onKeyDown={({ key }) => key === "F10" && setOpen(true)}>Canvas</Button>
      {open ? (
        <MenuAt
          at={{ x: 5, y: 5 }}
          label="Menu of z"
          entries={[item("Copy")]}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

describe("a menu at a point", () => {
  it("is named, takes the focus, and gives it back to where it was", async () => {
    const { user } = show(<ContextMenu />);
    await user.tab();
    await user.keyboard("{F10}");
    const menu = screen.getByRole("menu", { name: "Menu of z" });
    expect(menu.contains(document.activeElement)).toBe(true);
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(focused()).toBe("Canvas");
  });
});

describe("a dialog", () => {
  const onClose = vi.fn();
  const dialog = (body: React.ReactNode, title = "Settings") => (
    <Dialog title={title} onClose={onClose} footer={<Button variant="primary">Save</Button>}>
      {body}
    </Dialog>
  );
  const input = <input aria-label="Name of this machine" />;

  it("is named by its title, begins at its first field, and keeps the focus", async () => {
    const { user } = show(
      <>
        <Button>Behind</Button>
        {dialog(input)}
      </>,
    );
    expect(screen.getByRole("dialog", { name: "Settings" })).toBeDefined();
    expect(screen.getByRole("heading", { name: "Settings" })).toBeDefined();
    const order = [];
    for (let presses = 0; presses < 4; presses++) {
      order.push(document.activeElement?.getAttribute("aria-label") ?? focused());
      await user.tab();
    }
    expect(order).toEqual(["Name of this machine", "Save", "Close", "Name of this machine"]);
    // The page behind it is not there meanwhile.
    expect(screen.queryByRole("button", { name: "Behind" })).toBeNull();
    await expectAccessible();
  });

  it("begins at its main button where it has no field, and never at its cross", () => {
    show(dialog(<p>Nothing is lost.</p>));
    expect(focused()).toBe("Save");
  });

  it("asks to be closed by Escape and by its cross", async () => {
    onClose.mockClear();
    const { user } = show(dialog(input));
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "Close" }));
    expect(onClose).toHaveBeenCalledTimes(2);
  });

  it("that lay over another one gives the focus back to it", async () => {
    const Both = ({ asks }: { readonly asks: boolean }) => (
      <>
        {dialog(input)}
        {asks ? dialog(<p>Sure?</p>, "Question") : null}
      </>
    );
    const { change } = show(<Both asks={false} />);
    change(<Both asks />);
    expect(screen.getByRole("dialog", { name: "Question" }).contains(document.activeElement)).toBe(true);
    change(<Both asks={false} />);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name of this machine")));
  });
});
