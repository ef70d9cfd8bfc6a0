// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { Button } from "../../../renderer/ui/button.js";
import { CodeField } from "../../../renderer/ui/code-field.js";
import { CopyButton } from "../../../renderer/ui/copy-button.js";
import { IconButton } from "../../../renderer/ui/icon-button.js";
import { ProofList } from "../../../renderer/ui/proof-list.js";
import { Segmented } from "../../../renderer/ui/segmented.js";
import { UiServicesProvider } from "../../../renderer/ui/services.js";
import { Sparkline } from "../../../renderer/ui/sparkline.js";
import { Split } from "../../../renderer/ui/split.js";
import { Switch } from "../../../renderer/ui/switch.js";
import { type Tab, TabList, TabPanel, Tabs } from "../../../renderer/ui/tabs.js";
import { Tooltip } from "../../../renderer/ui/tooltip.js";
import { copied, errors, expectAccessible, focusOn, show, violations } from "../support/components.js";

const button = (name: string) => screen.getByRole("button", { name });

describe("axe", () => {
  it("finds what is wrong in a component", async () => {
    show(<button type="button" />);
    expect(await violations()).toEqual(['button-name: <button type="button"></button>']);
  });
});

describe("a button", () => {
  it("is named by its text, pressed by keys, and no submit button of the form around it", async () => {
    const onClick = vi.fn();
    const onSubmit = vi.fn((event: React.FormEvent) => event.preventDefault());
    const { user } = show(
      <form onSubmit={onSubmit}>
        <Button icon="play" onClick={onClick}>
          Run
        </Button>
        <Button disabled onClick={onClick}>
          Stop
        </Button>
      </form>,
    );
    await user.tab();
    expect(document.activeElement).toBe(button("Run"));
    await user.keyboard("{Enter}[Space]");
    await user.click(button("Stop"));
    expect(onClick).toHaveBeenCalledTimes(2);
    expect(onSubmit).not.toHaveBeenCalled();
    await expectAccessible();
  });

  it("that is an icon is named by its label, and its tooltip says it with the shortcut", async () => {
    const { user } = show(<IconButton icon="close" label="Dismiss" shortcut="Mod+D" />);
    await user.tab();
    expect(document.activeElement).toBe(button("Dismiss"));
    expect((await screen.findByRole("tooltip")).textContent).toBe("DismissCtrl D");
    await expectAccessible();
  });
});

describe("a tooltip", () => {
  it("comes with the focus by Tab, describes its control, and goes with Escape", async () => {
    const { user } = show(
      <Tooltip text="Cancel the step that is running">
        <Button>Abort</Button>
      </Tooltip>,
    );
    await user.tab();
    const tooltip = await screen.findByRole("tooltip");
    expect(button("Abort").getAttribute("aria-describedby")).toBe(tooltip.id);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("tooltip")).toBeNull();
    expect(document.activeElement).toBe(button("Abort"));
  });

  it("does not come with a focus that no key moved, nor without a text", async () => {
    const { user, change } = show(
      <Tooltip text="More">
        <Button>Menu</Button>
      </Tooltip>,
    );
    await user.click(document.body);
    focusOn(button("Menu"));
    expect(screen.queryByRole("tooltip")).toBeNull();
    change(
      <Tooltip text={undefined}>
        <Button>Menu</Button>
      </Tooltip>,
    );
    await user.tab({ shift: true });
    await user.tab();
    expect(document.activeElement).toBe(button("Menu"));
    expect(screen.queryByRole("tooltip")).toBeNull();
  });
});

describe("copying", () => {
  it("puts the text on the clipboard and says so", async () => {
    const { user } = show(<CodeField label="Python" text={"import tensorflow\nprint(1)"} />);
    // A scrolled area can be reached by keyboard.
    await user.tab();
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Python" }));
    await user.tab();
    await user.keyboard("{Enter}");
    await screen.findByRole("button", { name: "Copied" });
    expect(copied).toEqual(["import tensorflow\nprint(1)"]);
    await expectAccessible();
  });

  it("that is refused says why, and not that it was done", async () => {
    const refused = new Error("not allowed");
    const showError = (error: unknown) => void errors.push(error);
    const { user } = show(
      <UiServicesProvider value={{ copyText: () => Promise.reject(refused), showError }}>
        <CopyButton text="x" label="Copy details" />
      </UiServicesProvider>,
    );
    await user.click(button("Copy details"));
    expect(errors).toEqual([refused]);
    expect(button("Copy details")).toBeDefined();
  });
});

function Roles({ first }: { readonly first: string | undefined }) {
  const [role, setRole] = useState(first);
  const options = ["View", "Run", "Manage"].map((label) => ({ id: label, label }));
  return (
    <>
      <Segmented label="Role" options={options} selected={role} onSelect={setRole} />
      <Button>After</Button>
    </>
  );
}

describe("a choice of a few", () => {
  const radio = (name: string) => screen.getByRole("radio", { name });
  const chosen = () =>
    screen.getAllByRole("radio").filter((one) => one.getAttribute("aria-checked") === "true");

  it("is one stop of the keyboard, whose arrows choose", async () => {
    const { user } = show(<Roles first="Run" />);
    expect(screen.getByRole("radiogroup", { name: "Role" })).toBeDefined();
    await user.tab();
    expect(document.activeElement).toBe(radio("Run"));
    await user.keyboard("{ArrowRight}");
    expect(chosen()).toEqual([radio("Manage")]);
    await user.keyboard("{ArrowRight}");
    expect(chosen()).toEqual([radio("View")]);
    await user.keyboard("{ArrowUp}");
    expect(chosen()).toEqual([radio("Manage")]);
    expect(document.activeElement).toBe(radio("Manage"));
    await user.tab();
    expect(document.activeElement).toBe(button("After"));
    await expectAccessible();
  });

  it("takes a click, and the keyboard where nothing is chosen yet", async () => {
    const { user } = show(<Roles first={undefined} />);
    await user.tab();
    expect(document.activeElement).toBe(radio("View"));
    expect(chosen()).toEqual([]);
    await user.click(radio("Run"));
    expect(chosen()).toEqual([radio("Run")]);
  });
});

describe("a switch", () => {
  it("says its state and asks for the other one", async () => {
    const onChange = vi.fn();
    const { user, change } = show(<Switch label="Trace" checked={false} onChange={onChange} />);
    const control = screen.getByRole("switch", { name: "Trace" });
    expect(control.getAttribute("aria-checked")).toBe("false");
    await user.tab();
    await user.keyboard("[Space]");
    change(<Switch label="Trace" checked onChange={onChange} />);
    expect(control.getAttribute("aria-checked")).toBe("true");
    await user.keyboard("{Enter}");
    expect(onChange.mock.calls).toEqual([[true], [false]]);
    await expectAccessible();
  });
});

type Id = "one" | "two" | "three";

function TabbedPane({ start }: { readonly start: Id | undefined }) {
  const [selected, setSelected] = useState(start);
  const [closed, setClosed] = useState(false);
  const tabs: Tab<Id>[] = [
    { id: "one", label: "One" },
    { id: "two", label: "Two", count: 3, bad: true },
  ];
  const onClose = () => {
    setClosed(true);
    setSelected("one");
  };
  if (!closed) tabs.push({ id: "three", label: "Three", onClose });
  return (
    <Tabs selected={selected} onSelect={(id) => setSelected(id)}>
      <div>
        <TabList label="Results of the run" tabs={tabs} selected={selected} />
        {tabs.map(({ id }) => (
          <TabPanel key={id} id={id}>
            <p>Text of {id}</p>
          </TabPanel>
        ))}
      </div>
    </Tabs>
  );
}

describe("tabs", () => {
  const tab = (name: string | RegExp) => screen.getByRole("tab", { name });
  const selected = () => screen.queryAllByRole("tab", { selected: true });

  it("go by arrows, show one panel that the tab names, and count", async () => {
    const { user } = show(<TabbedPane start="one" />);
    expect(screen.getByRole("tablist", { name: "Results of the run" })).toBeDefined();
    await user.tab();
    expect(document.activeElement).toBe(tab("One"));
    await user.keyboard("{ArrowRight}");
    expect(selected()).toEqual([tab(/^Two.*3/)]);
    expect(screen.getByRole("tabpanel", { name: /^Two/ }).textContent).toBe("Text of two");
    await user.keyboard("{End}");
    expect(selected()).toEqual([tab("Three")]);
    expect(screen.queryByText("Text of two")).toBeNull();
    await expectAccessible();
  });

  it("close with Delete, and the one that is shown instead has the focus", async () => {
    const { user } = show(<TabbedPane start="three" />);
    await user.tab();
    await user.keyboard("{Delete}");
    expect(screen.queryByRole("tab", { name: "Three" })).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(tab("One")));
    await user.keyboard("{Delete}");
    expect(screen.getAllByRole("tab")).toHaveLength(2);
  });

  it("of a closed dock are passed by without opening it", async () => {
    const { user } = show(<TabbedPane start={undefined} />);
    await user.tab();
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(tab(/^Two/));
    expect(selected()).toEqual([]);
    await user.keyboard("{Enter}");
    expect(selected()).toEqual([tab(/^Two/)]);
  });
});

describe("a split", () => {
  const split = (pane: string | undefined, closed = false) => (
    <Split
      orientation="vertical"
      at="end"
      pane={pane}
      size={200}
      least={100}
      most={600}
      leastRest="30%"
      bar={37}
      closed={closed}
      label="Height of the dock"
      onResize={() => undefined}
    >
      Canvas
    </Split>
  );

  it("has a named edge that keys reach, only while there is something to size", async () => {
    const { user, change } = show(split("Dock"));
    const edge = screen.getByRole("separator", { name: "Height of the dock" });
    await user.tab();
    expect(document.activeElement).toBe(edge);
    await expectAccessible();
    change(split("Dock", true));
    expect(screen.queryByRole("separator")).toBeNull();
    expect(screen.getByText("Dock")).toBeDefined();
    change(split(undefined));
    expect(screen.queryByText("Dock")).toBeNull();
    expect(screen.getByText("Canvas")).toBeDefined();
  });
});

describe("what is drawn", () => {
  it("is said in words too", async () => {
    show(
      <>
        <Sparkline values={[1, 2]} max={4} capacity={60} label="CPU, 2%" />
        <ProofList
          rows={[
            { what: "a → b:2222", outcome: "ok", detail: "answers" },
            { what: "b → a:2222", outcome: "failed", detail: "no answer" },
          ]}
        />
      </>,
    );
    expect(screen.getByRole("img", { name: "CPU, 2%" })).toBeDefined();
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "ok: a → b:2222answers",
      "failed: b → a:2222no answer",
    ]);
    await expectAccessible();
  });
});
