// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { BreakableName } from "../../../renderer/ui/breakable-name.js";
import { longestPart } from "../../../renderer/ui/name-parts.js";
import { show } from "../support/components.js";

it.each([
  ["gradients", 9],
  ["global_average_pooling", 8],
  ["a/bc.d-e", 3],
])("%s is broken behind its signs, so that its longest part has %i characters", (name, longest) => {
  expect(longestPart(name)).toBe(longest);
  show(<BreakableName name={name} />);
  expect(document.body.textContent).toContain(name);
  expect(document.querySelectorAll("wbr")).toHaveLength(name.split(/[_/.-]/).length - 1);
});
