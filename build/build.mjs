// `npm run build`, and `prepare`: brings generated code, compiled program and built window up to date.
import { BuildError, main, outDir } from "./lib/project.mjs";
import { buildAll, cannotBuild, staleSteps } from "./lib/steps.mjs";

await main(async () => {
  if (cannotBuild()) {
    // `prepare` also runs when only production dependencies are installed; the installation must not fail then.
    if (process.env.npm_lifecycle_event === "prepare") {
      console.log("Tensordeck is not built: its build tools or sources are not here. Nothing to do.");
      return;
    }
    throw new BuildError("The build tools are not installed.", "Run: npm ci");
  }
  const stale = staleSteps();
  await buildAll();
  if (stale.length === 0) console.log(`Up to date: ${outDir}`);
});
