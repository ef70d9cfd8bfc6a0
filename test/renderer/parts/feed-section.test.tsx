// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FeedSection } from "../../../renderer/parts/feed-section.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { constant, documentOf, node, type } from "../document/graphs.js";
import { connect, expectAccessible, show } from "../support/components.js";
import { openDocument } from "../support/documents.js";

const vector = node("p", "Placeholder", [], {
  dtype: type("float32"),
  shape: { value: { $case: "shape", value: { dim: [{ size: 2n, name: "" }], unknownRank: false } } },
});
const dimensions = [-1n, 2n].map((size) => ({ size, name: "" }));
const matrix = node("p", "Placeholder", [], {
  dtype: type("float32"),
  shape: { value: { $case: "shape", value: { dim: dimensions, unknownRank: false } } },
});
const feed = () => useDocument.getState().document.runConfig.feeds["p:0"];
const value = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Value" });

beforeEach(() => {
  connect({ "files.pick": "/data/table.csv" });
  openDocument(documentOf([vector, constant("c", "1")]));
});

describe("what a placeholder is fed", () => {
  it("is asked for of placeholders alone", async () => {
    const { change } = show(<FeedSection node={constant("c", "1")} />);
    expect(screen.queryByRole("heading")).toBeNull();
    change(<FeedSection node={vector} />);
    expect(screen.getByText("Without a value p cannot be run.")).toBeDefined();
    await expectAccessible();
  });

  it("is a text that fits its dtype and shape; what does not says so", async () => {
    const { user } = show(<FeedSection node={vector} />);
    await user.type(value(), "3{Enter}");
    expect(screen.getByRole("alert").textContent).toBe(
      "The value has shape [], but p takes [2]. Write it as [3].",
    );
    expect(feed()).toBeUndefined();
    await expectAccessible();
    await user.clear(value());
    await user.type(value(), "[[3, 4]{Enter}");
    expect(feed()).toEqual({ kind: "literal", text: "[3, 4]" });
    expect(screen.queryByRole("alert")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Clear" }));
    expect(feed()).toBeUndefined();
  });

  it("stays as it was when a text is wrong, which is said beside it", async () => {
    const { user } = show(<FeedSection node={vector} />);
    await user.type(value(), "[[3, 4]{Enter}");
    await user.clear(value());
    await user.type(value(), "[[3, four]{Enter}");
    expect(screen.getByRole("alert").textContent).toMatch(/^four .*\. Runs still feed the earlier value\.$/);
    expect(feed()).toEqual({ kind: "literal", text: "[3, 4]" });
    await expectAccessible();
  });

  it("is a file that the browser reads, and a column of it", async () => {
    const { user } = show(<FeedSection node={vector} />);
    const input = document.querySelector<HTMLInputElement>("input[type=file]");
    if (input === null) throw new Error("There is no field for a file.");
    await user.upload(input, new File(["a,b\n1,2"], "table.csv"));
    expect(feed()).toMatchObject({ kind: "content", name: "table.csv" });
    expect(screen.getByTitle("table.csv")).toBeDefined();
    const column = () => screen.getByRole("textbox", { name: "Column" });
    await user.type(column(), "b{Enter}");
    expect(feed()).toMatchObject({ column: "b" });
    await user.clear(column());
    await user.type(column(), "1{Enter}");
    expect(feed()).toMatchObject({ column: 1 });
    await expectAccessible();
  });

  it("is a folder of images by its path, in a range, of which a worker gets a share", async () => {
    const arrays = [
      { name: "images", dtype: "uint8", shape: [3, -1, -1, -1] },
      { name: "labels", dtype: "int32", shape: [3] },
    ];
    connect({ "feeds.contents": { arrays, columns: [] } });
    openDocument(documentOf([matrix]));
    const { user } = show(<FeedSection node={matrix} />);
    await user.type(screen.getByRole("textbox", { name: "Path" }), "/data/digits{Enter}");
    await user.type(await screen.findByRole("combobox", { name: "Array" }), "images{Enter}");
    await user.selectOptions(await screen.findByRole("combobox", { name: "Values" }), "0 to 1");
    const share = screen.getByRole("textbox", { name: "Share" });
    await user.type(share, "3 of 2{Enter}");
    expect(screen.getByRole("alert").textContent).toContain("such as 1 of 2");
    await user.clear(share);
    await user.type(share, "2/3{Enter}");
    expect(feed()).toEqual({
      ...{ kind: "file", path: "/data/digits", column: "images" },
      ...{ range: "unit", shard: { count: 3, index: 1 } },
    });
    await expectAccessible();
  });

  it("is an image by its path, which has no parts to choose", async () => {
    connect({ "feeds.contents": { arrays: [{ dtype: "uint8", shape: [1, -1, -1, -1] }], columns: [] } });
    openDocument(documentOf([matrix]));
    const { user } = show(<FeedSection node={matrix} />);
    await user.type(screen.getByRole("textbox", { name: "Path" }), "/data/one.png{Enter}");
    await screen.findByRole("combobox", { name: "Values" });
    expect(feed()).toEqual({ kind: "file", path: "/data/one.png" });
    expect(screen.queryByLabelText("Column")).toBeNull();
    expect(screen.queryByLabelText("Array")).toBeNull();
  });

  it("is chosen in the system's own dialog where there is one", async () => {
    useApp.setState({ info: { version: "0", host: "electron", fileDialogs: "native" } as never });
    const { user } = show(<FeedSection node={vector} />);
    await user.click(screen.getByRole("button", { name: ".npy, .npz, CSV or TFRecord…" }));
    expect(feed()).toEqual({ kind: "file", path: "/data/table.csv" });
    act(() => documentActions.undo());
    expect(feed()).toBeUndefined();
  });
});

describe("a file that a placeholder is fed", () => {
  const choose = async (answer: object, fed = vector) => {
    connect({ "feeds.contents": answer });
    const { user } = show(<FeedSection node={fed} />);
    const input = document.querySelector<HTMLInputElement>("input[data-feed-file]");
    if (input === null) throw new Error("There is no field for a file.");
    await user.upload(input, new File(["PK"], "data.npz"));
    return user;
  };

  it("says what it holds, offers its arrays, and says in words what does not fit", async () => {
    const arrays = [
      { name: "x", dtype: "float32", shape: [2] },
      { name: "y", dtype: "float32", shape: [7, 2] },
    ];
    const user = await choose({ arrays, columns: [] });
    const array = await screen.findByRole("combobox", { name: "Array" });
    expect(screen.getByRole("alert").textContent).toBe("It holds several arrays. Choose one of x, y.");
    await user.type(array, "x{Enter}");
    expect(feed()).toMatchObject({ column: "x" });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByText("float32 [2]")).toBeDefined();
    await user.clear(array);
    await user.type(array, "y{Enter}");
    expect(screen.getByRole("alert").textContent).toBe("It has shape [7, 2], but p takes [2].");
    await expectAccessible();
  });

  it("of records has features, read with a type, a shape and a default", async () => {
    const kind = (length: number, first: number) => ({ dtype: "float32", length, records: 5, first });
    const features = [
      { name: "x", kinds: [kind(2, 1), kind(3, 58)] },
      { name: "y", kinds: [kind(2, 1)], missing: { records: 1, first: 7 } },
    ];
    const records = { records: 10, isComplete: true, features };
    const user = await choose({ arrays: [], columns: [], records }, matrix);
    const alert = () => screen.getByRole("alert").textContent;
    const field = (name: string) => screen.getByRole("textbox", { name });
    const feature = await screen.findByRole("combobox", { name: "Feature" });
    expect(alert()).toBe("Its records have several features. Choose one of x, y.");
    await user.type(feature, "x{Enter}");
    expect(alert()).toBe("Record 58 has 3 values of x, but shape [2] takes 2.");
    await user.clear(feature);
    await user.type(feature, "y{Enter}");
    expect(alert()).toBe("Record 7 has no y. Give it a default value.");
    await user.type(field("Default"), "0{Enter}");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByText("10 records, 1 of them without y, float32 [2] each")).toBeDefined();
    await user.selectOptions(screen.getByRole("combobox", { name: "Type" }), "int64");
    expect(alert()).toBe("Record 1 has float32 values of y, not int64.");
    await user.type(field("Shape"), "[[2, 1]{Enter}");
    expect(feed()).toMatchObject({ column: "y", feature: { dtype: "int64", shape: [2, 1], default: "0" } });
    await expectAccessible();
    await user.clear(field("Shape"));
    await user.type(field("Shape"), "two{Enter}");
    expect(screen.getByText(/Write the sizes of one record's values/)).toBeDefined();
  });

  it("is fed whole, or some rows in each step", async () => {
    const user = await choose({ arrays: [{ name: "x", dtype: "float32", shape: [2] }], columns: [] });
    await user.click(await screen.findByRole("checkbox", { name: "Some rows in each step" }));
    expect(feed()).toMatchObject({ batched: true });
    expect(screen.getByRole("alert").textContent).toBe("It has shape [2] in batches of 32, but p takes [2].");
    await user.click(screen.getByRole("checkbox", { name: "Some rows in each step" }));
    expect(feed()).not.toHaveProperty("batched");
  });

  it("that cannot be fed says why", async () => {
    await choose({
      arrays: [],
      columns: [],
      problem: { code: "INVALID_ARGUMENT", message: "It is damaged." },
    });
    expect((await screen.findByRole("alert")).textContent).toBe("It is damaged.");
  });
});
