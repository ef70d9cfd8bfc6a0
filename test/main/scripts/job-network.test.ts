import { expect, it } from "vitest";
import { JobNetwork } from "../../../main/scripts/job-network.js";

it("is refused where the network would reach the script's tasks, with what a script's user can do", async () => {
  const opening = JobNetwork.open({
    ...{ elsewhere: [], isolate: false, mayBeExposed: false },
    carry: () => undefined,
  });
  await expect(opening).rejects.toMatchObject({
    problem: {
      code: "PERMISSION_DENIED",
      remedy: expect.stringMatching(
        /^Run the script on another machine, or have the user .*--allow_exposed_tasks yes\.$/,
      ),
    },
  });
});
