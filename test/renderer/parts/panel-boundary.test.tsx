// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { PanelBoundary } from "../../../renderer/parts/panel-boundary.js";
import { Button } from "../../../renderer/ui/button.js";
import { calls, connect, copied, expectAccessible, focusOn, show } from "../support/components.js";

let fault: string | undefined;

function Panel() {
  if (fault !== undefined) throw new Error(fault);
  return <p>The nodes of the graph</p>;
}

function Window() {
  const [graph, setGraph] = useState(1);
  return (
    <>
      <Button onClick={() => setGraph(graph + 1)}>Open the next graph</Button>
      <PanelBoundary name="The inspector" resetOn={graph}>
        <Panel />
      </PanelBoundary>
      <PanelBoundary name="The dock">
        <p>Results</p>
      </PanelBoundary>
    </>
  );
}

beforeEach(() => {
  fault = undefined;
  connect();
  // React says every error that a boundary catches on the console, too.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  return () => vi.restoreAllMocks();
});

describe("a panel that cannot be drawn", () => {
  it("says what happened, leaves the rest alone, and reports the error once", async () => {
    fault = "node z has no input 3";
    show(<Window />);
    const alert = screen.getByRole("alert");
    expect(alert.textContent).toContain("The inspector could not be drawn.");
    expect(alert.textContent).toContain("node z has no input 3");
    expect(screen.getByText("Results")).toBeDefined();
    expect(calls).toEqual([
      {
        method: "app.reportError",
        params: { where: "The inspector", text: expect.stringMatching(/node z has no input 3[\s\S]*Panel/) },
      },
    ]);
    await expectAccessible();
  });

  it("is drawn again by Try again, as soon as the cause is gone", async () => {
    fault = "still here";
    const { user } = show(<Window />);
    const again = () => screen.getByRole("button", { name: "Try again" });
    await user.click(again());
    expect(screen.getByRole("alert").textContent).toContain("still here");
    fault = undefined;
    focusOn(again());
    await user.keyboard("{Enter}");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByText("The nodes of the graph")).toBeDefined();
  });

  it("is drawn again when what it shows is another", async () => {
    fault = "only in this graph";
    const { user } = show(<Window />);
    fault = undefined;
    await user.click(screen.getByRole("button", { name: "Open the next graph" }));
    expect(screen.getByText("The nodes of the graph")).toBeDefined();
  });

  it("gives the details to be copied", async () => {
    fault = "to be reported";
    const { user } = show(<Window />);
    await user.click(screen.getByRole("button", { name: "Copy details" }));
    expect(copied).toEqual([expect.stringContaining("Error: to be reported")]);
  });
});
