import { expect, test } from "vitest";
import { parsePythonJson, WholeFloat } from "../../../../worker-runtime/import/keras/python-json.js";

test("whole floats among the arguments of a call are told from integers", () => {
  const text =
    '{"args": [1.0, 2, -3.0, 0.5, 1e+20, 1.5e+20, "1.0", [4.0]], "kwargs": {"a": 1.0}, "rate": [2.0]}';
  expect(parsePythonJson(text)).toEqual({
    args: [
      new WholeFloat(1),
      2,
      new WholeFloat(-3),
      0.5,
      new WholeFloat(1e20),
      new WholeFloat(1.5e20),
      "1.0",
      [4],
    ],
    kwargs: { a: 1 },
    rate: [2],
  });
});

test("text is left as it is, and what is no JSON is refused", () => {
  expect(parsePythonJson('{"name": "a \\"1.0\\" b", "x": 1.0}')).toEqual({ name: 'a "1.0" b', x: 1 });
  expect(parsePythonJson("2.0")).toBe(2);
  expect(() => parsePythonJson('{"args": [1.0.0]}')).toThrow(SyntaxError);
  expect(() => parsePythonJson('{"args": [1.0')).toThrow(SyntaxError);
});
