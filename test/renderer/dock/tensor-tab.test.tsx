// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ApplicationClient, MethodName } from "../../../main/api/contract.js";
import { previewTensor } from "../../../main/runs/previews.js";
import { Jobs } from "../../../main/runs/tensors/jobs.js";
import { TensorService } from "../../../main/runs/tensors/tensor-service.js";
import { TensorStore } from "../../../main/runs/tensors/tensor-store.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import TensorTab from "../../../renderer/dock/tensor-tab.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { uiActions, useUi } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { welcome } from "../document/graphs.js";
import { expectAccessible, show } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

// The application's part cancels by Node's signals, as it does in its own process, not by those of the test DOM.
await vi.hoisted(async () => {
  const { transferableAbortController } = await import("node:util");
  const controller = transferableAbortController();
  Object.assign(globalThis, {
    AbortController: controller.constructor,
    AbortSignal: controller.signal.constructor,
  });
});

const store = new TensorStore();
const { handlers } = new TensorService(store, new Jobs(() => undefined));

/** Connects the window to the application's own service of tensors. */
function connectToService(): void {
  setClient({
    call: async (method: MethodName, params: unknown) => {
      const handler = (handlers as Record<string, unknown>)[method] as (
        params: unknown,
        caller: unknown,
      ) => unknown;
      return handler(params, THIS_PROGRAM);
    },
    on: () => () => undefined,
  } as unknown as ApplicationClient);
  useApp.setState({ connection: "connected" });
}

/** Shows a run that fetched a tensor, and its tab. */
function open(tensor: Tensor, runId = "r1") {
  store.set(runId, 1, [{ name: "z:0", tensor }]);
  showRun(runOf({ runId, fetches: [previewTensor("z:0", tensor)] }));
  return show(<TensorTab name="z:0" />);
}

const ramp = (shape: readonly number[]) =>
  Tensor.of(
    Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i + 0.5),
    "float32",
    shape,
  );

const grid = () => screen.getByRole("grid", { name: "Values of z:0" });
const cells = () =>
  within(grid())
    .getAllByRole("gridcell")
    .map(({ textContent }) => textContent);
const slice = () => screen.getByRole("textbox", { name: "Slice, as in Python" });
const chooseMode = (name: string) => screen.getByRole("radio", { name });

beforeEach(() => {
  connectToService();
  openDocument(welcome());
});

describe("the values of a tensor", () => {
  it("are those of the slice, which the text and the controls choose together", async () => {
    const { user } = open(ramp([2, 3, 4]));
    await waitFor(() => expect(cells()[0]).toBe("0.50"));
    expect(cells()).toHaveLength(12);
    expect((slice() as HTMLInputElement).value).toBe("[0, :, :]");
    await user.selectOptions(screen.getByRole("combobox", { name: "Use of dimension 1" }), "index");
    expect((slice() as HTMLInputElement).value).toBe("[0, 0, :]");
    await user.clear(slice());
    await user.type(slice(), "1, ::2, -1");
    await waitFor(() => expect(cells()).toEqual(["15.50", "23.50"]));
    expect((screen.getByRole("slider", { name: "Index of dimension 2" }) as HTMLInputElement).value).toBe(
      "3",
    );
    await user.clear(slice());
    await user.type(slice(), "7");
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Index 7 is not within the 2 of dimension 0.",
    );
    await expectAccessible();
  });

  it("are walked by keys, and the active one is read out in full", async () => {
    const { user } = open(ramp([20, 3]));
    await waitFor(() => expect(cells()).toHaveLength(60));
    await waitFor(() => expect(cells()[0]).toBe("0.50"));
    await user.click(grid());
    await user.keyboard("{ArrowDown}{ArrowRight}");
    expect(screen.getByText("[1, 1] = 4.5")).toBeDefined();
    await user.keyboard("{Control>}{End}{/Control}");
    expect(screen.getByText("[19, 2] = 59.5")).toBeDefined();
    const active = document.getElementById(grid().getAttribute("aria-activedescendant") ?? "");
    expect(active?.textContent).toBe("59.50");
    expect(active?.getAttribute("aria-selected")).toBe("true");
  });

  it("have as many digits as wanted", async () => {
    const { user } = open(Tensor.of(new Float32Array([0.123456, 2])));
    await waitFor(() => expect(cells()).toEqual(["0.123", "2.000"]));
    const digits = screen.getByRole("combobox", { name: "Digits" });
    await user.selectOptions(digits, "all");
    expect(cells()).toEqual(["0.123456", "2.0"]);
    await user.selectOptions(digits, "0.1");
    expect(cells()).toEqual(["0.1", "2.0"]);
  });

  it("of another step replace those of the one before", async () => {
    const { change } = open(Tensor.of(new Int32Array([1, 2])));
    await waitFor(() => expect(cells()).toEqual(["1", "2"]));
    const next = Tensor.of(new Int32Array([3, 4]));
    store.set("r1", 2, [{ name: "z:0", tensor: next }]);
    act(() => showRun(runOf({ step: 2, fetches: [previewTensor("z:0", next)] })));
    change(<TensorTab name="z:0" />);
    await waitFor(() => expect(cells()).toEqual(["3", "4"]));
    expect(screen.getByText("step 2")).toBeDefined();
  });
});

describe("a tensor", () => {
  it("shows how its elements are distributed, with NaN and infinities counted", async () => {
    const { user } = open(Tensor.of(new Float32Array([Number.NaN, Infinity, -2, 0, 4])));
    await user.click(chooseMode("Histogram"));
    const figures = await screen.findByText("NaN, Inf");
    expect(figures.nextElementSibling?.textContent).toBe("1, 1");
    expect(screen.getByText("20%")).toBeDefined();
    expect(screen.getByRole("img", { name: /^Histogram of 33 bins from -2 to 4/ })).toBeDefined();
    await expectAccessible();
  });

  it("shows the classes with the highest scores, with names that were typed in", async () => {
    const { user } = open(Tensor.of(new Float32Array([0.1, 0.2, 0.05, 0.6, 0.03, 0.02])));
    await user.click(chooseMode("Classes"));
    await user.click(await screen.findByRole("button", { name: "Names of classes…" }));
    await user.type(screen.getByRole("textbox", { name: "Names of classes, one per line" }), "a\nb\nc\ncat");
    const rows = screen
      .getAllByRole("row")
      .slice(1)
      .map(({ textContent }) => textContent);
    expect(rows.slice(0, 2)).toEqual(["3cat60.0%", "1b20.0%"]);
    expect(rows.at(-1)).toBe("1 other class2.0%");
    await expectAccessible();
  });

  it("is text, with its line breaks", async () => {
    open(Tensor.of(["one\ntwo", "three"]));
    expect(await screen.findByText(/^one\s+two$/)).toBeDefined();
    await expectAccessible();
  });

  it("is a batch of pictures, a picture, or lines", async () => {
    const photos = Tensor.of(new Uint8Array(2 * 8 * 9 * 3), "uint8", [2, 8, 9, 3]);
    const { user } = open(photos);
    expect(await screen.findByRole("img", { name: "Image z:0[1], 9 by 8, 3 channels" })).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Enlarge [1]" }));
    expect((slice() as HTMLInputElement).value).toBe("[1, :, :, :]");
    await expectAccessible();
    await user.click(chooseMode("Heat map"));
    expect(await screen.findByRole("img", { name: /^Heat map of z:0, from 0 to 0/ })).toBeDefined();
    await user.click(chooseMode("Line"));
    expect(await screen.findByRole("img", { name: /^Lines of z:0/ })).toBeDefined();
    await expectAccessible();
  });

  it("is copied as a table or as Python", async () => {
    uiActions.openTensor("z:0");
    const { user } = open(Tensor.of(new Float32Array([1, Number.NaN, -Infinity, 2]), "float32", [2, 2]));
    const copy = async (how: string, expected: string) => {
      await user.click(screen.getByRole("button", { name: "Copy" }));
      await user.click(await screen.findByRole("menuitem", { name: how }));
      await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(expected));
    };
    await copy("As a table (TSV)", "1.0\tnan\n-inf\t2.0");
    await copy("As Python (NumPy)", "np.array([[1.0, np.nan], [-np.inf, 2.0]], dtype=np.float32)");
  });

  it("says that the newest run did not fetch it, and that it is from before an edit; and is closed", async () => {
    uiActions.openTensor("z:0");
    const { user } = open(ramp([2]));
    expect(screen.queryByText(/before edit/)).toBeNull();
    act(() => void documentActions.deleteNodes(["y"]));
    expect(screen.getByText(/before edit/)).toBeDefined();
    act(() => showRun(runOf({ runId: "r3" })));
    expect(screen.getByText("The newest run did not fetch z:0.")).toBeDefined();
    act(() => void open(ramp([2]), "r4"));
    await user.click(screen.getAllByRole("button", { name: "Close" })[0] ?? document.body);
    expect(useUi.getState().dockTab).toBe("results");
  });
});
