// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { ColourLegend } from "../../../renderer/canvas/colour-legend.js";
import { colourCommands } from "../../../renderer/commands/colour-commands.js";
import { useColouring } from "../../../renderer/viewport/colouring.js";
import { welcome } from "../document/graphs.js";
import { expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

afterEach(() => act(() => useColouring.setState({ by: "task" })));

describe("the legend of colours", () => {
  it("is there while colours do not mean tasks, says what they mean, and changes them", async () => {
    openDocument(welcome());
    const { user } = show(<ColourLegend />);
    expect(screen.queryByRole("region", { name: "Colours of nodes" })).toBeNull();
    act(() => void colourCommands.op.now().run());
    expect(screen.getByRole("region", { name: "Colours of nodes" })).toBeDefined();
    expect(screen.getAllByRole("listitem").length).toBeGreaterThan(1);
    await expectAccessible();
    await user.click(screen.getByRole("radio", { name: "Time" }));
    expect(screen.getByText(/No step was traced yet/)).toBeDefined();
    expect(colourCommands.time.now().checked).toBe(true);
    await expectAccessible();
    await user.click(screen.getByRole("radio", { name: "Task" }));
    expect(screen.queryByRole("region", { name: "Colours of nodes" })).toBeNull();
  });
});
