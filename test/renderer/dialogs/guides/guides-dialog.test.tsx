// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { expect, it, onTestFinished, vi } from "vitest";
import { GuidesDialog } from "../../../../renderer/dialogs/guides/guides-dialog.js";
import { connect, copied, expectAccessible, show } from "../../support/components.js";

const TEXTS: Readonly<Record<string, string>> = {
  clusters: `# Which kind of cluster

| kind | who |
|---|---|
| open | everybody |

![The window](../../../build/screenshots/main-window.png)
![Elsewhere](../x.png)

## Secure

Tunnels between *agents*.

\`\`\`console
$ npx tensordeck agent
listening
pc$ npx tensordeck worker
\`\`\`
`,
  pi: `# A Raspberry Pi

See [the kinds](../clusters/README.md), [what is secure](../clusters/README.md#secure), [the policy](../../../SECURITY.md),
[the tests](../../../test/README.md) and [TensorFlow](https://www.tensorflow.org).

<script>alert(1)</script>
`,
  security: "# Security\n\nTLS everywhere.\n",
};
const path = (name: string) => (name === "security" ? "SECURITY.md" : `main/help/${name}/README.md`);
const guide = (name: string, group: string, title: string) => ({ name, group, title, path: path(name) });

const connectGuides = () =>
  connect({
    "app.guides": [
      guide("clusters", "start", "Which kind of cluster"),
      guide("pi", "scenarios", "A Raspberry Pi"),
      guide("security", "reference", "Security"),
    ],
    "app.guide": ({ name }: { name: string }) => TEXTS[name],
  });

function spyOnScrolling() {
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  onTestFinished(() => scrolled.mockRestore());
  return scrolled;
}

const page = () => screen.findByRole("region", { name: "Text of the guide" });

it("shows the first guide with its pictures, and another one by its title", async () => {
  connectGuides();
  const { user } = show(<GuidesDialog />);
  expect(await within(await page()).findByRole("heading", { name: "Which kind of cluster" })).toBeTruthy();
  expect(within(await page()).getByRole("cell", { name: "everybody" })).toBeTruthy();
  const pictures = within(await page()).getAllByRole("img");
  expect(pictures.map((picture) => picture.getAttribute("alt"))).toEqual(["The window"]);
  expect(pictures[0]?.getAttribute("src")).toMatch(/main-window.*\.png$/);
  expect(screen.getByRole("heading", { name: "Scenarios" })).toBeTruthy();
  await expectAccessible();
  await user.click(screen.getByRole("button", { name: "A Raspberry Pi" }));
  expect(await within(await page()).findByRole("heading", { name: "A Raspberry Pi" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "A Raspberry Pi" }).getAttribute("aria-current")).toBe("page");
});

it("follows links between guides, opens pages of the web elsewhere, and runs nothing", async () => {
  connectGuides();
  const { user } = show(<GuidesDialog name="pi" />);
  const link = await screen.findByRole("link", { name: "TensorFlow" });
  expect(link.getAttribute("target")).toBe("_blank");
  expect(screen.getAllByRole("link")).toHaveLength(1);
  expect(document.querySelector("section script")).toBeNull();
  expect(screen.queryByRole("button", { name: "the tests" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "the policy" }));
  expect(await within(await page()).findByText("TLS everywhere.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "A Raspberry Pi" }));
  const scrolled = spyOnScrolling();
  await user.click(await screen.findByRole("button", { name: "what is secure" }));
  const heading = await within(await page()).findByRole("heading", { name: "Secure" });
  expect(scrolled.mock.contexts).toEqual([heading]);
});

it("finds words in all guides, by keyboard alone, and shows the place", async () => {
  connectGuides();
  const { user } = show(<GuidesDialog name="pi" />);
  const search = await screen.findByRole("searchbox", { name: "Search the guides" });
  expect(document.activeElement).toBe(search);
  await user.keyboard("agents tunnels");
  const hit = await screen.findByRole("button", { name: /Secure.*Which kind of cluster.*Tunnels/ });
  expect(screen.getByRole("heading", { name: "1 place" })).toBeTruthy();
  await expectAccessible();
  const scrolled = spyOnScrolling();
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(hit);
  await user.keyboard("{Enter}");
  expect(await within(await page()).findByRole("heading", { name: "Which kind of cluster" })).toBeTruthy();
  expect(scrolled.mock.contexts).toEqual([within(await page()).getByText("agents")]);

  await user.clear(search);
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}{Enter}");
  expect(await within(await page()).findByRole("heading", { name: "A Raspberry Pi" })).toBeTruthy();
  await user.type(search, "quantum");
  expect(screen.getByRole("heading", { name: "No guide has these words." })).toBeTruthy();
});

it("copies the commands of a terminal without their prompts and output", async () => {
  connectGuides();
  const { user } = show(<GuidesDialog name="clusters" />);
  await user.click(await screen.findByRole("button", { name: "Copy" }));
  expect(copied).toEqual(["npx tensordeck agent\nnpx tensordeck worker"]);
});
