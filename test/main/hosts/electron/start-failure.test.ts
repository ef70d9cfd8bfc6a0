import { expect, test, vi } from "vitest";
import { failStart } from "../../../../main/hosts/electron/start-failure.js";
import { problem } from "../../../../main/shared/problems.js";

test("a start that fails is said in a box and on the standard error output, and the exit code tells", () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const exit = vi.fn();
  const showErrorBox = vi.fn();
  const error = problem("FAILED_PRECONDITION", "Tensordeck runs here already.", { remedy: "Use that one." });
  failStart(error, { app: { exit }, dialog: { showErrorBox } });
  expect(showErrorBox).toHaveBeenCalledExactlyOnceWith(
    "Tensordeck could not start",
    "Tensordeck runs here already.\n\nUse that one.",
  );
  expect(printed).toHaveBeenCalledWith("Tensordeck could not start:", error);
  expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  printed.mockRestore();
});
