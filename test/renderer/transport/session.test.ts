import { describe, expect, it } from "vitest";
import { tokenOfFragment } from "../../../renderer/transport/session.js";

describe("tokenOfFragment", () => {
  it.each([
    ["#token=a-b_c", "a-b_c"],
    ["#a-b_c", "a-b_c"],
    ["#x=1&token=t", "t"],
    ["#token=", undefined],
    ["#other=1", undefined],
    ["#", undefined],
    ["", undefined],
  ])("reads %j as %j", (fragment, token) => {
    expect(tokenOfFragment(fragment)).toBe(token);
  });
});
