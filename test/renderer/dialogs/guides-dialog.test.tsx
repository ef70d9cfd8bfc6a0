// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { GuidesDialog } from "../../../renderer/dialogs/guides-dialog.js";
import { connect, expectAccessible, show } from "../support/components.js";

const TEXTS: Readonly<Record<string, string>> = {
  clusters:
    "# Which kind of cluster\n\n| kind | who |\n|---|---|\n| open | everybody |\n\n![Window](../x.png)\n",
  pi: "# A Raspberry Pi\n\nSee [the kinds](../clusters/README.md), [the tests](../../test/README.md) and\n[TensorFlow](https://www.tensorflow.org).\n\n<script>alert(1)</script>\n",
};

const connectGuides = () =>
  connect({
    "app.guides": [
      { name: "clusters", title: "Which kind of cluster" },
      { name: "pi", title: "A Raspberry Pi" },
    ],
    "app.guide": ({ name }: { name: string }) => TEXTS[name],
  });

it("shows the first guide, and another one by its title", async () => {
  connectGuides();
  const { user } = show(<GuidesDialog />);
  const page = await screen.findByRole("region", { name: "Text of the guide" });
  expect(await within(page).findByRole("heading", { name: "Which kind of cluster" })).toBeTruthy();
  expect(within(page).getByRole("cell", { name: "everybody" })).toBeTruthy();
  expect(within(page).queryByRole("img")).toBeNull();
  await expectAccessible();
  await user.click(screen.getByRole("button", { name: "A Raspberry Pi" }));
  expect(await within(page).findByRole("heading", { name: "A Raspberry Pi" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "A Raspberry Pi" }).getAttribute("aria-current")).toBe("page");
});

it("follows links between guides, opens pages of the web elsewhere, and runs nothing", async () => {
  connectGuides();
  const { user } = show(<GuidesDialog name="pi" />);
  const link = await screen.findByRole("link", { name: "TensorFlow" });
  expect(link.getAttribute("target")).toBe("_blank");
  expect(screen.getAllByRole("link")).toHaveLength(1);
  expect(document.querySelector("section script")).toBeNull();
  await user.click(screen.getByRole("button", { name: "the kinds" }));
  expect(await screen.findByRole("heading", { name: "Which kind of cluster" })).toBeTruthy();
});
