import { describe, expect, it } from "vitest";
import { crumbsOf, folderOf, joinPath, resolveName, withExtension } from "../../../renderer/actions/paths.js";

describe("paths of the other machine", () => {
  it("are cut into folders, on Unix and on Windows", () => {
    expect(crumbsOf("/home/me")).toEqual([
      { name: "/", path: "/" },
      { name: "home", path: "/home" },
      { name: "me", path: "/home/me" },
    ]);
    expect(crumbsOf("/")).toEqual([{ name: "/", path: "/" }]);
    expect(crumbsOf("C:\\Users\\me")).toEqual([
      { name: "C:", path: "C:\\" },
      { name: "Users", path: "C:\\Users" },
      { name: "me", path: "C:\\Users\\me" },
    ]);
  });

  it("are joined with their own separator", () => {
    expect(joinPath("/", "a.pb")).toBe("/a.pb");
    expect(joinPath("/home", "a.pb")).toBe("/home/a.pb");
    expect(joinPath("C:\\", "a.pb")).toBe("C:\\a.pb");
    expect(joinPath("C:\\x", "a.pb")).toBe("C:\\x\\a.pb");
  });

  it("are taken as they are when they are absolute", () => {
    expect(resolveName("/home", "/tmp/a.pb")).toBe("/tmp/a.pb");
    expect(resolveName("/home", "sub/a.pb")).toBe("/home/sub/a.pb");
    expect(resolveName("/home", "~/a.pb")).toBe("~/a.pb");
    expect(resolveName("/home", "~a.pb")).toBe("/home/~a.pb");
    expect(resolveName("C:\\x", "D:\\a.pb")).toBe("D:\\a.pb");
    expect(resolveName("C:\\x", "a.pb")).toBe("C:\\x\\a.pb");
  });

  it("lie in a folder", () => {
    expect(folderOf("/home/me/a.pb")).toBe("/home/me");
    expect(folderOf("/a.pb")).toBe("/");
    expect(folderOf("C:\\a.pb")).toBe("C:\\");
    expect(folderOf("C:\\x\\a.pb")).toBe("C:\\x");
  });

  it("get an ending only where they have none of the known", () => {
    expect(withExtension("graph", ["pbtxt", "pb"])).toBe("graph.pbtxt");
    expect(withExtension("graph.PB", ["pbtxt", "pb"])).toBe("graph.PB");
    expect(withExtension("v1.2", ["pbtxt"])).toBe("v1.2.pbtxt");
  });
});
